import hashlib
for n in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512"):
    for d in (b"", b"abc", b"a" * 55, b"b" * 56, b"c" * 64, b"d" * 119, b"e" * 300):
        h = hashlib.new(n, d); print(n, h.hexdigest(), h.digest_size, h.block_size, h.name)
    h = getattr(hashlib, n)(); h.update(b"ab"); g = h.copy(); h.update(b"c"); print(h.hexdigest(), g.hexdigest(), h.digest()[:3])
try: hashlib.md5("a")
except TypeError as e: print(e)
try: hashlib.new("zz")
except ValueError as e: print(e)
