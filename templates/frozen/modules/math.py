# The C module has the elementary functions. Each function of this file is made when a program
# first asks for it.
import umath


def __getattr__(name):
    if name == "__all__":
        return [name for name in dir(umath) if name[0] != "_"] + [
            "gcd", "lcm", "comb", "perm", "isqrt", "prod", "hypot", "dist", "fsum", "sumprod",
            "cbrt", "exp2", "log1p", "fma", "remainder", "nextafter", "ulp",
        ]
    if name in ("gcd", "lcm", "comb", "perm", "isqrt", "prod", "factorial", "trunc"):
        value = _integers(name)
    elif name in ("hypot", "dist", "fsum", "sumprod"):
        value = _sums(name)
    elif name in ("cbrt", "exp2", "log1p", "fma", "remainder", "nextafter", "ulp", "log", "log2",
                  "log10", "floor", "ceil", "ldexp"):
        value = _floats(name)
    elif hasattr(umath, name):
        value = getattr(umath, name)
    else:
        raise AttributeError(f"module 'math' has no attribute '{name}'")
    if hasattr(value, "_parameters") and value.__name__ != name:
        value.__name__ = name
    globals()[name] = value
    return value


def _index(n):
    if isinstance(n, (int, bool)):
        return int(n)
    if hasattr(n, "__index__"):
        return n.__index__()
    raise TypeError(f"'{type(n).__name__}' object cannot be interpreted as an integer")


def _gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def _integers(name):
    if name == "gcd":

        def gcd(*integers):
            found = 0
            for n in integers:
                found = _gcd(found, abs(_index(n)))
            return found

        return gcd
    if name == "lcm":

        def lcm(*integers):
            found = 1
            for n in integers:
                n = abs(_index(n))
                found = n and found and found // _gcd(found, n) * n
            return found

        return lcm
    if name == "comb":

        def comb(n, k):
            n = _index(n)
            k = _index(k)
            if n < 0:
                raise ValueError("n must be a non-negative integer")
            if k < 0:
                raise ValueError("k must be a non-negative integer")
            if k > n:
                return 0
            found = 1
            for i in range(min(k, n - k)):
                found = found * (n - i) // (i + 1)
            return found

        return comb
    if name == "perm":

        def perm(n, k=None):
            n = _index(n)
            if n < 0:
                raise ValueError("n must be a non-negative integer")
            k = n if k is None else _index(k)
            if k < 0:
                raise ValueError("k must be a non-negative integer")
            found = int(k <= n)
            for i in range(k if found else 0):
                found *= n - i
            return found

        return perm
    if name == "isqrt":

        def isqrt(n):
            n = _index(n)
            if n < 0:
                raise ValueError("isqrt() argument must be nonnegative")
            if n < 1 << 40:
                return int(umath.sqrt(n))
            # Newton's method from above: the estimate is twice the root at most.
            bits = 0
            rest = n
            while rest >= 1 << 64:
                rest >>= 64
                bits += 64
            while rest:
                rest >>= 1
                bits += 1
            root = 1 << ((bits + 1) >> 1)
            while True:
                better = (root + n // root) >> 1
                if better >= root:
                    return root
                root = better

        return isqrt
    if name == "prod":

        def prod(iterable, *, start=1):
            for n in iterable:
                start = start * n
            return start

        return prod
    if name == "trunc":

        def trunc(x):
            if isinstance(x, int):
                return int(x)
            return x.__trunc__() if hasattr(x, "__trunc__") else umath.trunc(x)

        return trunc

    def factorial(n):
        if isinstance(n, float) or not isinstance(n, (int, bool)) and not hasattr(n, "__index__"):
            raise TypeError(f"'{type(n).__name__}' object cannot be interpreted as an integer")
        n = _index(n)
        if n < 0:
            raise ValueError("factorial() not defined for negative values")
        found = 1
        for i in range(2, n + 1):
            found *= i
        return found

    return factorial


def _float(x):
    return x.__float__() if hasattr(x, "__float__") else float(x)


# The sum of floats, rounded once. The parts do not overlap: no bit is lost in their sum.
def _fsum(values):
    parts = []
    special = 0.0
    for x in values:
        x = _float(x)
        if x - x != 0.0:
            special += x
            continue
        kept = 0
        for y in parts:
            if abs(x) < abs(y):
                x, y = y, x
            high = x + y
            low = y - (high - x)
            if low:
                parts[kept] = low
                kept += 1
            x = high
        del parts[kept:]
        parts.append(x)
    if special or special != special:
        if special != special:
            raise ValueError("-inf + inf in fsum")
        return special
    if parts and parts[-1] - parts[-1] != 0.0:
        raise OverflowError("intermediate overflow in fsum")
    total = 0.0
    while parts:
        x = total
        y = parts.pop()
        total = x + y
        low = y - (total - x)
        if low:
            # A tie that the remaining parts decide.
            if parts and (low < 0.0) == (parts[-1] < 0.0):
                y = low * 2.0
                x = total + y
                if y == x - total:
                    total = x
            break
    return total


# (high, low) with high + low == a * b: the product without rounding.
def _product(a, b):
    c = 134217729.0 * a  # 2 ** 27 + 1: splits 53 bits in two halves
    a_high = c - (c - a)
    a_low = a - a_high
    c = 134217729.0 * b
    b_high = c - (c - b)
    b_low = b - b_high
    high = a * b
    return high, ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low


def _norm(values):
    largest = 0.0
    nan = False
    for x in values:
        if x != x:
            nan = True
        elif x > largest:
            largest = x
    if largest == umath.inf:
        return largest
    if nan:
        return umath.nan
    if not largest:
        return 0.0
    # Scaled by a power of two, so that no square overflows and none is lost.
    exponent = umath.frexp(largest)[1]
    parts = []
    scaled = []
    for x in values:
        x = umath.ldexp(x, -exponent)
        parts.extend(_product(x, x))
    total = _fsum(parts)
    root = umath.sqrt(total)
    # A Newton step with the exact remainder gives a correctly rounded root, but for rare ties.
    high, low = _product(root, root)
    parts.append(-high)
    parts.append(-low)
    return umath.ldexp(root + _fsum(parts) / (2.0 * root), exponent)


def _sums(name):
    if name == "fsum":
        return _fsum
    if name == "hypot":

        def hypot(*coordinates):
            return _norm([abs(_float(x)) for x in coordinates])

        return hypot
    if name == "dist":

        def dist(p, q):
            p = list(p)
            q = list(q)
            if len(p) != len(q):
                raise ValueError("both points must have the same number of dimensions")
            return _norm([abs(_float(a) - _float(b)) for a, b in zip(p, q)])

        return dist

    def sumprod(p, q):
        p = list(p)
        q = list(q)
        if len(p) != len(q):
            raise ValueError("Inputs are not the same length")
        if all([isinstance(a, (int, bool)) and isinstance(b, (int, bool)) for a, b in zip(p, q)]):
            return sum([a * b for a, b in zip(p, q)])
        parts = []
        for a, b in zip(p, q):
            parts.extend(_product(float(a), float(b)))
        return _fsum(parts)

    return sumprod


def _floats(name):
    if name in ("floor", "ceil"):
        plain = getattr(umath, name)

        def rounded(x):
            if isinstance(x, int):
                return int(x)
            if hasattr(x, f"__{name}__"):
                return getattr(x, f"__{name}__")()
            if not isinstance(x, (float, int, bool)) and hasattr(x, "__float__"):
                x = x.__float__()
            return plain(x)

        return rounded
    if name in ("log", "log2", "log10"):
        plain = getattr(umath, name)

        # An integer beyond the range of floats has a logarithm; the C function has none for it.
        def logarithm(x, *base):
            if isinstance(x, int) and x > 1 << 1000:
                if base:
                    return logarithm(x) / logarithm(base[0])
                exponent = 64
                while x >> exponent >= 1 << 64:
                    exponent += 64
                fraction, rest = umath.frexp(float(x >> exponent))
                return plain(fraction) + plain(2.0) * (exponent + rest)
            if not isinstance(x, (float, int, bool)) and hasattr(x, "__float__"):
                x = x.__float__()
            return plain(x, *base)

        return logarithm
    if name == "ldexp":

        def ldexp(x, i):
            i = _index(i)
            value = umath.ldexp(x, max(-9999, min(9999, i)))
            if value - value != 0.0 and x - x == 0.0:
                raise OverflowError("math range error")
            return value

        return ldexp
    if name == "cbrt":

        def cbrt(x):
            x = float(x)
            if not x or x - x != 0.0:
                return x
            mantissa, exponent = umath.frexp(abs(x))
            shift = exponent % 3
            mantissa = umath.ldexp(mantissa, shift)
            root = umath.pow(mantissa, 1.0 / 3.0)
            high, low = _product(root, root)
            cube, rest = _product(high, root)
            error = ((cube - mantissa) + rest) + low * root
            root -= error / (3.0 * high)
            return umath.copysign(umath.ldexp(root, (exponent - shift) // 3), x)

        return cbrt
    if name == "exp2":

        def exp2(x):
            return umath.pow(2.0, x)

        return exp2
    if name == "log1p":

        def log1p(x):
            x = float(x)
            if x <= -1.0:
                raise ValueError("math domain error")
            # The quotient corrects the rounding of 1 + x.
            y = 1.0 + x
            if y == 1.0 or y == umath.inf:
                return x
            return umath.log(y) - ((y - 1.0) - x) / y

        return log1p
    if name == "fma":

        def fma(x, y, z):
            x, y, z = float(x), float(y), float(z)
            if (x * y + z) - (x * y + z) != 0.0:
                return x * y + z
            high, low = _product(x, y)
            return _fsum((high, low, z))

        return fma
    if name == "remainder":

        def remainder(x, y):
            x = float(x)
            y = float(y)
            if x != x or y != y:
                return umath.nan
            if x - x != 0.0 or not y:
                raise ValueError("math domain error")
            if y - y != 0.0:
                return x
            y = abs(y)
            rest = umath.fmod(abs(x), y)
            other = y - rest
            if rest > other or rest == other and umath.fmod(0.5 * (abs(x) - rest), y):
                rest = -other
            return umath.copysign(1.0, x) * rest

        return remainder
    if name == "ulp":

        def ulp(x):
            x = abs(float(x))
            if x - x != 0.0:
                return x
            above = __getattr__("nextafter")(x, umath.inf)
            if above == umath.inf:
                return x - __getattr__("nextafter")(x, 0.0)
            return above - x

        return ulp

    def nextafter(x, y, *, steps=1):
        import struct

        x = float(x)
        y = float(y)
        for _ in range(steps):
            if x != x or y != y:
                return umath.nan
            if x == y:
                return y
            if not x:
                x = umath.copysign(5e-324, y)
                continue
            bits = struct.unpack("<q", struct.pack("<d", x))[0]
            bits += 1 if (y > x) == (x > 0.0) else -1
            x = struct.unpack("<d", struct.pack("<q", bits))[0]
        return x

    return nextafter
