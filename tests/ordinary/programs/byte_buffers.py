class Ring:
    def __init__(self, size):
        self.data = bytearray(size)
        self.read_at = self.used = 0

    def write(self, data):
        for byte in data:
            if self.used == len(self.data):
                raise OverflowError("ring is full")
            self.data[(self.read_at + self.used) % len(self.data)] = byte
            self.used += 1

    def read(self, n):
        n = min(n, self.used)
        out = bytes(self.data[(self.read_at + i) % len(self.data)] for i in range(n))
        self.read_at = (self.read_at + n) % len(self.data)
        self.used -= n
        return out


def crc32(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0xEDB88320 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def xor(data, key):
    return bytes(b ^ key[i % len(key)] for i, b in enumerate(data))


ring = Ring(16)
ring.write(b"hello world")
print(ring.read(6), ring.used)
ring.write(b"0123456789")
print(ring.read(50))
try:
    ring.write(bytes(17))
except OverflowError as error:
    print(error, ring.used)
print(hex(crc32(b"123456789")))
secret = xor(b"attack at dawn", b"key")
print(secret.hex(), xor(secret, b"key"))
picture = bytearray(32 * 32)
view = memoryview(picture)
for y in range(32):
    row = view[y * 32 : y * 32 + 32]
    for x in range(32):
        row[x] = (x ^ y) * 8 & 255
print(sum(picture), bytes(view[40:48]), picture[31 * 32 :].count(b"\0"))
