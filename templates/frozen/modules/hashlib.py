# MD5 (RFC 1321), SHA-1 and SHA-2 (FIPS 180-4). sha256 is C code.
import uhashlib

algorithms_guaranteed = algorithms_available = {"md5", "sha1", "sha224", "sha256", "sha384", "sha512"}


class _Hash:
    # A subclass has name, digest_size, block_size, _start (words) and _step(block).
    def __init__(self, data=b"", **kwargs):
        self._words = list(self._start)
        self._rest = b""
        self._size = 0
        self.update(kwargs.pop("string", data))

    def update(self, data):
        if isinstance(data, str):
            raise TypeError("Strings must be encoded before hashing")
        self._size += len(data)
        data = self._rest + bytes(data)
        n = self.block_size
        end = len(data) // n * n
        for place in range(0, end, n):
            self._step(data[place:place + n])
        self._rest = data[end:]

    def copy(self):
        new = type(self)()
        new._words = list(self._words)
        new._rest = self._rest
        new._size = self._size
        return new

    def digest(self):
        last = self.copy()
        n = self.block_size
        field = n // 8  # bytes of the message's length
        padding = b"\x80" + bytes((n - field - 1 - self._size) % n)
        size = self._size * 8
        last.update(padding + size.to_bytes(field, self._order))
        word = n // 16
        return b"".join([w.to_bytes(word, self._order) for w in last._words])[:self.digest_size]

    def hexdigest(self):
        return "".join(["%02x" % byte for byte in self.digest()])


def _md5():
    from array import array
    import umath as math

    table = array("I", [int(abs(math.sin(i + 1)) * 4294967296.0) for i in range(64)])
    turns = b"\x07\x0c\x11\x16\x05\x09\x0e\x14\x04\x0b\x10\x17\x06\x0a\x0f\x15"

    class md5(_Hash):
        __qualname__ = "md5"
        name = "md5"
        digest_size = 16
        block_size = 64
        _order = "little"
        _start = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476)

        def _step(self, block):
            import struct

            w = struct.unpack("<16I", block)
            a, b, c, d = self._words
            for i in range(64):
                if i < 16:
                    f = b & c | ~b & d
                    g = i
                elif i < 32:
                    f = d & b | ~d & c
                    g = (5 * i + 1) & 15
                elif i < 48:
                    f = b ^ c ^ d
                    g = (3 * i + 5) & 15
                else:
                    f = c ^ (b | ~d & 0xFFFFFFFF)
                    g = (7 * i) & 15
                f = (f + a + table[i] + w[g]) & 0xFFFFFFFF
                turn = turns[i >> 4 << 2 | i & 3]
                a, d, c, b = d, c, b, (b + (f << turn | f >> 32 - turn)) & 0xFFFFFFFF
            self._words = [(x + y) & 0xFFFFFFFF for x, y in zip(self._words, (a, b, c, d))]

    return md5


def _sha1():
    class sha1(_Hash):
        __qualname__ = "sha1"
        name = "sha1"
        digest_size = 20
        block_size = 64
        _order = "big"
        _start = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0)

        def _step(self, block):
            import struct

            w = list(struct.unpack(">16I", block))
            a, b, c, d, e = self._words
            for i in range(80):
                if i >= 16:
                    x = w[(i - 3) & 15] ^ w[(i - 8) & 15] ^ w[(i - 14) & 15] ^ w[i & 15]
                    w[i & 15] = (x << 1 | x >> 31) & 0xFFFFFFFF
                if i < 20:
                    f = (b & c | ~b & d) + 0x5A827999
                elif i < 40:
                    f = (b ^ c ^ d) + 0x6ED9EBA1
                elif i < 60:
                    f = (b & c | b & d | c & d) + 0x8F1BBCDC
                else:
                    f = (b ^ c ^ d) + 0xCA62C1D6
                f = ((a << 5 | a >> 27) + f + e + w[i & 15]) & 0xFFFFFFFF
                a, b, c, d, e = f, a, (b << 30 | b >> 2) & 0xFFFFFFFF, c, d
            self._words = [(x + y) & 0xFFFFFFFF for x, y in zip(self._words, (a, b, c, d, e))]

    return sha1


def _root(n, cube):
    # The first 64 bits of the fraction of a square or cube root.
    n <<= 192 if cube else 128
    root = 1 << 70
    while True:
        better = (2 * root + n // (root * root)) // 3 if cube else (root + n // root) >> 1
        if better >= root:
            return root & 0xFFFFFFFFFFFFFFFF
        root = better


def _primes(count):
    found = []
    n = 2
    while len(found) < count:
        if all([n % p for p in found]):
            found.append(n)
        n += 1
    return found


def _sha512():
    from array import array

    primes = _primes(80)
    table = array("Q", [_root(p, True) for p in primes])
    mask = 0xFFFFFFFFFFFFFFFF

    class sha512(_Hash):
        __qualname__ = "sha512"
        name = "sha512"
        digest_size = 64
        block_size = 128
        _order = "big"
        _start = [_root(p, False) for p in primes[:8]]

        def _step(self, block):
            import struct

            w = list(struct.unpack(">16Q", block))
            a, b, c, d, e, f, g, h = self._words
            for i in range(80):
                x = w[i & 15]
                if i >= 16:
                    y = w[(i - 15) & 15]
                    y = (y >> 1 | y << 63) ^ (y >> 8 | y << 56) ^ y >> 7
                    z = w[(i - 2) & 15]
                    z = (z >> 19 | z << 45) ^ (z >> 61 | z << 3) ^ z >> 6
                    w[i & 15] = x = (x + (y & mask) + w[(i - 7) & 15] + (z & mask)) & mask
                y = (e >> 14 | e << 50) ^ (e >> 18 | e << 46) ^ (e >> 41 | e << 23)
                y = h + (y & mask) + (e & f ^ (e ^ mask) & g) + table[i] + x
                z = (a >> 28 | a << 36) ^ (a >> 34 | a << 30) ^ (a >> 39 | a << 25)
                z = (z & mask) + (a & b ^ a & c ^ b & c)
                h, g, f, e, d, c, b, a = g, f, e, (d + y) & mask, c, b, a, (y + z) & mask
            self._words = [(x + y) & mask for x, y in zip(self._words, (a, b, c, d, e, f, g, h))]

    return sha512


def _sha384():
    class sha384(_get("sha512")):
        __qualname__ = "sha384"
        name = "sha384"
        digest_size = 48
        _start = [_root(p, False) for p in _primes(16)[8:]]

    return sha384


def _sha256():
    class sha256:
        __qualname__ = "sha256"
        name = "sha256"
        digest_size = 32
        block_size = 64

        def __init__(self, data=b"", **kwargs):
            # The C object has no copy and ends with its first digest, so the data are kept.
            self._data = b""
            self.update(kwargs.pop("string", data))

        def update(self, data):
            if isinstance(data, str):
                raise TypeError("Strings must be encoded before hashing")
            self._data += bytes(data)

        def copy(self):
            return type(self)(self._data)

        def digest(self):
            return uhashlib.sha256(self._data).digest()

        def hexdigest(self):
            return "".join(["%02x" % byte for byte in self.digest()])

    return sha256


def _sha224():
    from array import array

    table = array("I", [_root(p, True) >> 32 for p in _primes(64)])
    mask = 0xFFFFFFFF

    class sha224(_Hash):
        __qualname__ = "sha224"
        name = "sha224"
        digest_size = 28
        block_size = 64
        _order = "big"
        _start = [_root(p, False) & mask for p in _primes(16)[8:]]

        def _step(self, block):
            import struct

            w = list(struct.unpack(">16I", block))
            a, b, c, d, e, f, g, h = self._words
            for i in range(64):
                x = w[i & 15]
                if i >= 16:
                    y = w[(i - 15) & 15]
                    y = (y >> 7 | y << 25) ^ (y >> 18 | y << 14) ^ y >> 3
                    z = w[(i - 2) & 15]
                    z = (z >> 17 | z << 15) ^ (z >> 19 | z << 13) ^ z >> 10
                    w[i & 15] = x = (x + y + w[(i - 7) & 15] + z) & mask
                y = (e >> 6 | e << 26) ^ (e >> 11 | e << 21) ^ (e >> 25 | e << 7)
                y = h + (y & mask) + (e & f ^ (e ^ mask) & g) + table[i] + x
                z = (a >> 2 | a << 30) ^ (a >> 13 | a << 19) ^ (a >> 22 | a << 10)
                z = (z & mask) + (a & b ^ a & c ^ b & c)
                h, g, f, e, d, c, b, a = g, f, e, (d + y) & mask, c, b, a, (y + z) & mask
            self._words = [(x + y) & mask for x, y in zip(self._words, (a, b, c, d, e, f, g, h))]

    return sha224


def _get(name):
    found = globals().get(name)
    return found or __getattr__(name)


def new(name, data=b"", **kwargs):
    name = name.lower()
    if name not in algorithms_available:
        raise ValueError("unsupported hash type " + name)
    return _get(name)(data)


def __getattr__(name):
    if name == "__all__":
        return tuple(algorithms_available) + ("new", "algorithms_available", "algorithms_guaranteed")
    if name not in algorithms_available:
        raise AttributeError(f"module 'hashlib' has no attribute '{name}'")
    if name == "md5":
        value = _md5()
    elif name == "sha1":
        value = _sha1()
    elif name == "sha224":
        value = _sha224()
    elif name == "sha256":
        value = _sha256()
    elif name == "sha384":
        value = _sha384()
    else:
        value = _sha512()
    globals()[name] = value
    return value
