x = 3**150
print(x // 7**20, x % 10**9, -x >> 100, x.to_bytes(40, "big")[:4], int("123456789" * 4) & 0xFFFF)
print(1e100, 2.5**0.5, complex(1, 2) * 1j, divmod(-(10**25), 7), "%x" % (1 << 90))
print(pow(3, x, 2**200 - 75), pow(-x, 65537, 2**96), str(x), float(x) > 1e71, x * x % 97)
