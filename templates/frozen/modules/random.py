# CPython's generator, the Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998): the same seed
# gives the same numbers. Without a seed, numbers come from the C module, which has no state of
# 2.5 KB and is faster.
import urandom

_instance = None
_NAMES = (
    "seed", "getstate", "setstate", "getrandbits", "random", "randrange", "randint", "randbytes",
    "choice", "choices", "shuffle", "sample", "uniform", "triangular", "normalvariate", "gauss",
    "lognormvariate", "expovariate", "vonmisesvariate", "gammavariate", "betavariate",
    "paretovariate", "weibullvariate", "binomialvariate",
)


class Random:
    def __init__(self, x=None):
        self.seed(x)

    def seed(self, a=None, version=2):
        self.gauss_next = None
        if a is None:
            self._mt = None
            return
        if isinstance(a, str) or isinstance(a, (bytes, bytearray)):
            if isinstance(a, str):
                a = a.encode()
            from hashlib import sha512

            a = int.from_bytes(bytes(a) + sha512(a).digest(), "big")
        elif isinstance(a, float):
            a = _hash(a) & 0xFFFFFFFFFFFFFFFF
        elif not isinstance(a, (int, bool)):
            raise TypeError("The only supported seed types are:\n"
                            "None, int, float, str, bytes, and bytearray.")
        self._seed(abs(int(a)))

    def _seed(self, n):
        from array import array

        words = [n & 0xFFFFFFFF]
        while n > 0xFFFFFFFF:
            n >>= 32
            words.append(n & 0xFFFFFFFF)
        mt = array("I", bytes(4 * 624))
        mt[0] = last = 19650218
        for i in range(1, 624):
            mt[i] = last = (1812433253 * (last ^ last >> 30) + i) & 0xFFFFFFFF
        length = len(words)
        i, j = 1, 0
        last = mt[0]
        for _ in range(max(624, length)):
            last = ((mt[i] ^ (last ^ last >> 30) * 1664525) + words[j] + j) & 0xFFFFFFFF
            mt[i] = last
            i += 1
            if i == 624:
                mt[0] = last
                i = 1
            j += 1
            if j == length:
                j = 0
        for _ in range(623):
            last = ((mt[i] ^ (last ^ last >> 30) * 1566083941) - i) & 0xFFFFFFFF
            mt[i] = last
            i += 1
            if i == 624:
                mt[0] = last
                i = 1
        mt[0] = 0x80000000
        self._mt = mt
        # Words are twisted one at a time, as they are drawn.
        self._place = 0

    def _word(self):
        mt = self._mt
        if mt is None:
            return urandom.getrandbits(32)
        i = self._place
        following = i + 1 if i < 623 else 0
        self._place = following
        y = mt[i] & 0x80000000 | mt[following] & 0x7FFFFFFF
        other = mt[i + 397 if i < 227 else i - 227]
        y = other ^ y >> 1 ^ 0x9908B0DF if y & 1 else other ^ y >> 1
        mt[i] = y
        y ^= y >> 11
        y ^= y << 7 & 0x9D2C5680
        y ^= y << 15 & 0xEFC60000
        return y ^ y >> 18

    def getstate(self):
        if self._mt is None:
            self._seed(urandom.getrandbits(32) << 32 | urandom.getrandbits(32))
        mt = self._mt
        i = self._place
        # CPython's form has 624 twisted words and the place of the next one.
        if i == 0:
            return (3, tuple(mt) + (624,), self.gauss_next)
        words = list(mt)
        for k in range(i, 624):
            y = words[k] & 0x80000000 | words[k + 1 if k < 623 else 0] & 0x7FFFFFFF
            words[k] = words[k + 397 if k < 227 else k - 227] ^ y >> 1 ^ (0x9908B0DF if y & 1 else 0)
        return (3, tuple(words) + (i,), self.gauss_next)

    def setstate(self, state):
        version, words, self.gauss_next = state
        if version != 3:
            raise ValueError(f"state with version {version} passed to Random.setstate() of version 3")
        from array import array

        place = words[624]
        words = list(words[:624])
        if place < 624:
            # Undo the twist of the words that were not drawn yet.
            for k in range(623, place - 1, -1):
                y = _untwist(words, k)
                x = _untwist(words, k - 1 if k else 623)
                words[k] = y & 0x80000000 | x & 0x7FFFFFFF
        self._mt = array("I", words)
        self._place = place % 624

    def random(self):
        if self._mt is None:
            return urandom.random()
        return ((self._word() >> 5) * 67108864.0 + (self._word() >> 6)) * (1.0 / 9007199254740992.0)

    def getrandbits(self, k):
        if k < 0:
            raise ValueError("number of bits must be non-negative")
        if k <= 32:
            return self._word() >> (32 - k) if k else 0
        found = 0
        shift = 0
        while k > 0:
            word = self._word()
            if k < 32:
                word >>= 32 - k
            found |= word << shift
            shift += 32
            k -= 32
        return found

    def _below(self, n):
        # An integer in range(n), n > 0.
        k = _bits(n)
        found = self.getrandbits(k)
        while found >= n:
            found = self.getrandbits(k)
        return found

    def randbytes(self, n):
        return self.getrandbits(n * 8).to_bytes(n, "little")

    def randrange(self, start, stop=None, step=1):
        start = _index(start)
        if stop is None:
            if step != 1:
                raise TypeError("Missing a non-None stop argument")
            if start > 0:
                return self._below(start)
            raise ValueError("empty range for randrange()")
        stop = _index(stop)
        step = _index(step)
        width = stop - start
        if step == 1:
            if width > 0:
                return start + self._below(width)
            raise ValueError(f"empty range in randrange({start}, {stop})")
        if not step:
            raise ValueError("zero step for randrange()")
        n = (width + step + (-1 if step > 0 else 1)) // step
        if n <= 0:
            raise ValueError(f"empty range in randrange({start}, {stop}, {step})")
        return start + step * self._below(n)

    def randint(self, a, b):
        return self.randrange(a, b + 1)

    def choice(self, seq):
        if not len(seq):
            raise IndexError("Cannot choose from an empty sequence")
        return seq[self._below(len(seq))]

    def shuffle(self, x):
        for i in range(len(x) - 1, 0, -1):
            j = self._below(i + 1)
            x[i], x[j] = x[j], x[i]

    def sample(self, population, k, *, counts=None):
        if isinstance(population, (set, frozenset, dict)) or not hasattr(population, "__getitem__") \
                and not isinstance(population, (list, tuple, str, bytes, bytearray, range)):
            raise TypeError("Population must be a sequence.  For dicts or sets, use sorted(d).")
        n = len(population)
        if counts is not None:
            totals = []
            total = 0
            for count in counts:
                total += count
                totals.append(total)
            if len(totals) != n:
                raise ValueError("The number of counts does not match the population")
            if total <= 0:
                raise ValueError("Total of counts must be greater than zero")
            return [population[_right(totals, place, 0, n)] for place in self.sample(range(total), k)]
        if not 0 <= k <= n:
            raise ValueError("Sample larger than population or is negative")
        result = [None] * k
        # CPython's choice of method, as the numbers drawn depend on it.
        limit = 21
        if k > 5:
            power = 1
            while power < k * 3:
                power *= 4
            limit += power
        if n <= limit:
            pool = list(population)
            for i in range(k):
                j = self._below(n - i)
                result[i] = pool[j]
                pool[j] = pool[n - i - 1]
        else:
            chosen = set()
            for i in range(k):
                j = self._below(n)
                while j in chosen:
                    j = self._below(n)
                chosen.add(j)
                result[i] = population[j]
        return result

    def choices(self, population, weights=None, *, cum_weights=None, k=1):
        n = len(population)
        if cum_weights is None:
            if weights is None:
                n += 0.0
                return [population[int(self.random() * n)] for _ in range(k)]
            cum_weights = []
            total = 0
            for weight in weights:
                total += weight
                cum_weights.append(total)
        elif weights is not None:
            raise TypeError("Cannot specify both weights and cumulative weights")
        if len(cum_weights) != n:
            raise ValueError("The number of weights does not match the population")
        total = cum_weights[-1] + 0.0
        if total <= 0.0:
            raise ValueError("Total of weights must be greater than zero")
        if total - total != 0.0:
            raise ValueError("Total of weights must be finite")
        return [population[_right(cum_weights, self.random() * total, 0, n - 1)] for _ in range(k)]

    def uniform(self, a, b):
        return a + (b - a) * self.random()

    def triangular(self, low=0.0, high=1.0, mode=None):
        u = self.random()
        try:
            c = 0.5 if mode is None else (mode - low) / (high - low)
        except ZeroDivisionError:
            return low
        if u > c:
            u = 1.0 - u
            c = 1.0 - c
            low, high = high, low
        import umath as math

        return low + (high - low) * math.sqrt(u * c)

    def gauss(self, mu=0.0, sigma=1.0):
        import umath as math

        z = self.gauss_next
        self.gauss_next = None
        if z is None:
            x2pi = self.random() * (2.0 * math.pi)
            g2rad = math.sqrt(-2.0 * math.log(1.0 - self.random()))
            z = math.cos(x2pi) * g2rad
            self.gauss_next = math.sin(x2pi) * g2rad
        return mu + z * sigma

    def expovariate(self, lambd=1.0):
        import umath as math

        return -math.log(1.0 - self.random()) / lambd

    def __getattr__(self, name):
        # Distributions that few programs use.
        if name in _NAMES[14:]:
            import _distributions

            function = getattr(_distributions, name)
            return lambda *args, **kwargs: function(self, *args, **kwargs)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


def _index(n):
    if isinstance(n, (int, bool)):
        return int(n)
    if hasattr(n, "__index__"):
        return n.__index__()
    raise TypeError(f"'{type(n).__name__}' object cannot be interpreted as an integer")


def _bits(n):
    bits = 0
    while n > 0xFFFF:
        n >>= 16
        bits += 16
    while n:
        n >>= 1
        bits += 1
    return bits


def _right(a, x, lo, hi):
    while lo < hi:
        middle = (lo + hi) // 2
        if x < a[middle]:
            hi = middle
        else:
            lo = middle + 1
    return lo


def _hash(x):
    # CPython's hash of a float: its value modulo 2 ** 61 - 1, as 64 unsigned bits.
    if x - x != 0.0:
        return 314159 if x > 0 else 314159 if x < 0 else 0
    import umath as math

    fraction, exponent = math.frexp(abs(x))
    modulus = (1 << 61) - 1
    value = int(fraction * 9007199254740992.0)
    value = value * pow(2, (exponent - 53) % 61, modulus) % modulus
    if x < 0:
        value = -value
        if value == -1:
            value = -2
    return value


def _untwist(words, k):
    # Recover the twist's input: bit 31 of word k and bits 0 to 30 of word k + 1.
    y = words[k] ^ words[k + 397 if k < 227 else k - 227]
    odd = y >> 31
    if odd:
        y ^= 0x9908B0DF
    return (y << 1 | odd) & 0xFFFFFFFF


def __getattr__(name):
    global _instance
    if name == "__all__":
        return _NAMES + ("Random", "SystemRandom")
    if name == "SystemRandom":
        value = Random
    elif name in _NAMES:
        if _instance is None:
            _instance = Random()
        value = getattr(_instance, name)
    else:
        raise AttributeError(f"module 'random' has no attribute '{name}'")
    globals()[name] = value
    return value
