def _gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def _parse(text):
    # (numerator, denominator) of "3", "-3/4", "1.5" or "2e-3".
    s = text.strip()
    try:
        if "/" in s:
            a, b = s.split("/")
            if a != a.strip() or b != b.strip() or not b[:1].isdigit():
                raise ValueError
            return int(a), int(b)
        body = s.lower()
        exponent = 0
        if "e" in body:
            body, exponent = body.split("e")
            exponent = int(exponent)
        sign = -1 if body[:1] == "-" else 1
        if body[:1] in ("-", "+"):
            body = body[1:]
        whole, _, part = body.partition(".")
        digits = whole + part
        if not digits.replace("_", "").isdigit():
            raise ValueError
        part = part.replace("_", "")
        n = sign * int(digits)
        exponent -= len(part)
        return (n * 10 ** exponent, 1) if exponent >= 0 else (n, 10 ** -exponent)
    except ValueError:
        raise ValueError(f"Invalid literal for Fraction: {text!r}")


def _ratio(x):
    # Numerator and denominator of a float.
    if x != x:
        raise ValueError("cannot convert NaN to integer ratio")
    if x - x != 0:
        raise OverflowError("cannot convert Infinity to integer ratio")
    import umath as math

    fraction, exponent = math.frexp(x)
    n = int(fraction * 9007199254740992.0)
    exponent -= 53
    if exponent >= 0:
        return n << exponent, 1
    d = 1 << -exponent
    g = _gcd(abs(n), d) or 1
    return n // g, d // g


class Fraction:
    _numbers = ("Number", "Complex", "Real", "Rational")

    def __init__(self, numerator=0, denominator=None):
        if denominator is None:
            if isinstance(numerator, (int, bool)):
                n, d = int(numerator), 1
            elif isinstance(numerator, Fraction):
                n, d = numerator.numerator, numerator.denominator
            elif isinstance(numerator, float):
                n, d = _ratio(numerator)
            elif isinstance(numerator, str):
                n, d = _parse(numerator)
            elif hasattr(numerator, "as_integer_ratio"):
                n, d = numerator.as_integer_ratio()
            else:
                raise TypeError("argument should be a string or a Rational instance")
        else:
            n, d = numerator, denominator
            if isinstance(n, Fraction) or isinstance(d, Fraction):
                n, d = Fraction(n), Fraction(d)
                n, d = n.numerator * d.denominator, n.denominator * d.numerator
            elif not isinstance(n, (int, bool)) or not isinstance(d, (int, bool)):
                raise TypeError("both arguments should be Rational instances")
        if d == 0:
            raise ZeroDivisionError(f"Fraction({n}, 0)")
        g = _gcd(abs(n), abs(d))
        if d < 0:
            g = -g
        self.numerator = n // g
        self.denominator = d // g

    @classmethod
    def from_float(cls, f):
        if not isinstance(f, (int, float)):
            raise TypeError(f"Fraction.from_float() only takes floats, not {f!r} "
                            f"({type(f).__name__})")
        return cls(f)

    @classmethod
    def from_decimal(cls, dec):
        return cls(dec)

    def as_integer_ratio(self):
        return self.numerator, self.denominator

    def is_integer(self):
        return self.denominator == 1

    @property
    def real(self):
        return self

    @property
    def imag(self):
        return 0

    def conjugate(self):
        return self

    def limit_denominator(self, max_denominator=1000000):
        if max_denominator < 1:
            raise ValueError("max_denominator should be at least 1")
        n, d = self.numerator, self.denominator
        if d <= max_denominator:
            return Fraction(n, d)
        # Convergents of the continued fraction; the last step may take a part of one.
        a, b, c, e = 0, 1, 1, 0
        while True:
            q = n // d
            if b + e * q > max_denominator:
                break
            a, b, c, e = c, e, a + q * c, b + q * e
            n, d = d, n - q * d
        k = (max_denominator - b) // e
        near = Fraction(c, e)
        other = Fraction(a + k * c, b + k * e)
        return near if abs(near - self) <= abs(other - self) else other

    def __repr__(self):
        return f"Fraction({self.numerator}, {self.denominator})"

    def __format__(self, spec):
        import _fractionformat

        return _fractionformat.write(self, spec)

    def __str__(self):
        return str(self.numerator) if self.denominator == 1 else (
            f"{self.numerator}/{self.denominator}")

    def _operate(self, other, exact, name, swap=False):
        if isinstance(other, (int, bool)):
            other = Fraction(other)
        if isinstance(other, Fraction):
            return exact(other, self) if swap else exact(self, other)
        if isinstance(other, (float, complex)):
            a, b = float(self), other
            return name(b, a) if swap else name(a, b)
        return NotImplemented

    def __add__(self, other):
        return self._operate(other, _add, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other):
        return self._operate(other, _sub, lambda a, b: a - b)

    def __rsub__(self, other):
        return self._operate(other, _sub, lambda a, b: a - b, True)

    def __mul__(self, other):
        return self._operate(other, _mul, lambda a, b: a * b)

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self._operate(other, _div, lambda a, b: a / b)

    def __rtruediv__(self, other):
        return self._operate(other, _div, lambda a, b: a / b, True)

    def __floordiv__(self, other):
        return self._operate(other, _floordiv, lambda a, b: a // b)

    def __rfloordiv__(self, other):
        return self._operate(other, _floordiv, lambda a, b: a // b, True)

    def __mod__(self, other):
        return self._operate(other, _mod, lambda a, b: a % b)

    def __rmod__(self, other):
        return self._operate(other, _mod, lambda a, b: a % b, True)

    def __divmod__(self, other):
        q = self // other
        return q if q is NotImplemented else (q, self % other)

    def __pow__(self, other):
        if isinstance(other, Fraction) and other.denominator == 1:
            other = other.numerator
        if isinstance(other, int):
            n, d = self.numerator, self.denominator
            if other >= 0:
                return Fraction(n ** other, d ** other)
            if n == 0:
                raise ZeroDivisionError(f"Fraction({d ** -other}, 0)")
            return Fraction(d ** -other, n ** -other)
        if isinstance(other, (float, Fraction)):
            return float(self) ** float(other)
        return NotImplemented

    def __rpow__(self, other):
        if self.denominator == 1 and self.numerator >= 0:
            return other ** self.numerator
        return other ** float(self)

    def __pos__(self):
        return Fraction(self.numerator, self.denominator)

    def __neg__(self):
        return Fraction(-self.numerator, self.denominator)

    def __abs__(self):
        return Fraction(abs(self.numerator), self.denominator)

    def __trunc__(self):
        return -(-self.numerator // self.denominator) if self.numerator < 0 else (
            self.numerator // self.denominator)

    __int__ = __trunc__

    def __floor__(self):
        return self.numerator // self.denominator

    def __ceil__(self):
        return -(-self.numerator // self.denominator)

    def __round__(self, ndigits=None):
        if ndigits is not None:
            scale = 10 ** abs(ndigits)
            if ndigits > 0:
                return Fraction(round(self * scale), scale)
            return Fraction(round(self / scale) * scale)
        floor, rest = divmod(self.numerator, self.denominator)
        if rest * 2 > self.denominator or rest * 2 == self.denominator and floor % 2:
            return floor + 1
        return floor

    def __float__(self):
        # A quotient of 64 bits or more with a sticky bit rounds to the nearest float.
        import umath as math

        n, d = abs(self.numerator), self.denominator
        shift = 0
        while n >> 64 >= d:
            d <<= 32
            shift += 32
        while n and n < d << 64:
            n <<= 32
            shift -= 32
        q, r = divmod(n, d)
        try:
            value = math.ldexp(float(q | bool(r)), shift)
        except (OverflowError, ValueError):
            raise OverflowError("integer division result too large for a float")
        return -value if self.numerator < 0 else value

    def __bool__(self):
        return self.numerator != 0

    def __hash__(self):
        if self.denominator == 1:
            return hash(self.numerator)
        value = self.numerator / self.denominator
        # A fraction that a float represents has the float's hash.
        return hash(value) if _ratio(value) == (self.numerator, self.denominator) else hash(
            (self.numerator, self.denominator))

    def _compare(self, other):
        # The other number, as a fraction where it has one, or None.
        if isinstance(other, (int, bool)):
            return Fraction(other)
        if isinstance(other, float):
            return Fraction(other) if other - other == 0 else other
        return other if isinstance(other, Fraction) else None

    def __eq__(self, other):
        other = self._compare(other)
        if other is None:
            return NotImplemented
        if isinstance(other, float):
            return False
        return self.numerator == other.numerator and self.denominator == other.denominator

    def _order(self, other, test):
        other = self._compare(other)
        if other is None:
            return NotImplemented
        if isinstance(other, float):
            return test(0.0, other)
        return test(self.numerator * other.denominator, other.numerator * self.denominator)

    def __lt__(self, other):
        return self._order(other, lambda a, b: a < b)

    def __le__(self, other):
        return self._order(other, lambda a, b: a <= b)

    def __gt__(self, other):
        return self._order(other, lambda a, b: a > b)

    def __ge__(self, other):
        return self._order(other, lambda a, b: a >= b)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def _add(a, b):
    return Fraction(a.numerator * b.denominator + b.numerator * a.denominator,
                    a.denominator * b.denominator)


def _sub(a, b):
    return Fraction(a.numerator * b.denominator - b.numerator * a.denominator,
                    a.denominator * b.denominator)


def _mul(a, b):
    return Fraction(a.numerator * b.numerator, a.denominator * b.denominator)


def _div(a, b):
    return Fraction(a.numerator * b.denominator, a.denominator * b.numerator)


def _floordiv(a, b):
    return (a.numerator * b.denominator) // (a.denominator * b.numerator)


def _mod(a, b):
    d = a.denominator * b.denominator
    return Fraction((a.numerator * b.denominator) % (b.numerator * a.denominator), d)
