import struct

RECORD = "<HhIf8s"


def checksum(data):
    total = 0
    for byte in data:
        total = (total * 31 + byte) & 0xFFFF
    return total


def pack(rows):
    out = bytearray(b"REC1")
    out += struct.pack("<I", len(rows))
    for number, delta, stamp, weight, name in rows:
        out += struct.pack(RECORD, number, delta, stamp, weight, name.encode())
    out += struct.pack("<H", checksum(out))
    return bytes(out)


def unpack(data):
    if data[:4] != b"REC1":
        raise ValueError("not a record file")
    (stored,) = struct.unpack("<H", data[-2:])
    if checksum(data[:-2]) != stored:
        raise ValueError("damaged")
    (count,) = struct.unpack("<I", data[4:8])
    size = struct.calcsize(RECORD)
    for i in range(count):
        number, delta, stamp, weight, name = struct.unpack_from(RECORD, data, 8 + i * size)
        yield number, delta, stamp, weight, name.rstrip(b"\0").decode()


rows = [(i, -i * 3, 1700000000 + i, i / 4, "item%d" % i) for i in range(20)]
data = pack(rows)
print(len(data), struct.calcsize(RECORD), data[:12])
print(list(unpack(data)) == rows)
print(list(unpack(data))[7])
broken = bytearray(data)
broken[30] ^= 1
for bad in (bytes(broken), b"NOPE" + data[4:]):
    try:
        list(unpack(bad))
    except ValueError as error:
        print("refused:", error)
print(struct.pack(">BHIQ", 1, 2, 3, 4), struct.unpack(">d", struct.pack(">d", 0.1)))
