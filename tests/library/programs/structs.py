import struct


class I:
    def __index__(self): return 300


class F:
    def __float__(self): return 1.5


def show(text):
    # Messages differ between releases of CPython.
    try:
        print(text, "->", repr(eval(text)))
    except Exception as error:
        print(text, "!!", type(error).__name__)


for text in r"""struct.pack('n', 2**63)
struct.pack('n', 2**64)
struct.pack('N', -1)
struct.pack('N', 2**64)
struct.pack('P', -1)
struct.pack('P', 2**64)
struct.pack('P', -2**63)
struct.pack('P', -2**63-1)
struct.pack('P', 1.5)
struct.pack('P', I())
struct.pack('n', 1.5)
struct.pack('?', 5)
struct.pack('b', I())
struct.pack('q', I())
struct.pack('h', I())
struct.pack('h', True)
struct.pack('h', 'a')
struct.pack('f', F())
struct.pack('f', 'a')
struct.pack('<f', 1e300)
struct.pack('e', 65520.0)
struct.pack('e', 65519.9)
struct.pack('e', 1e-8)
struct.pack('e', 2.98e-8)
struct.pack('e', 2.9802322387695312e-08)
struct.pack('e', float('nan'))
struct.pack('e', float('-inf'))
struct.pack('c', 'a')
struct.pack('c', b'ab')
struct.pack('c', bytearray(b'a'))
struct.pack('2c', b'a', b'b')
struct.pack('s', bytearray(b'ab'))
struct.pack('s', 'ab')
struct.pack('s', memoryview(b'ab'))
struct.pack('5p', b'abc')
struct.pack('3p', b'abcdef')
struct.pack('300p', b'a'*299)[0]
struct.pack('p', b'abc')
struct.pack('0p', b'abc')
struct.unpack('p', b'a')
struct.unpack('3p', b'\x09ab')
struct.pack('z')
struct.pack('<n', 1)
struct.pack('3')
struct.pack('3 i',1)
struct.pack(' < i', 1)
struct.pack('<i h', 1, 2)
struct.pack(1)
struct.pack('é', 1)
struct.pack('i\0', 1)
struct.pack(b'i', 1)
struct.pack()
struct.calcsize('99999999999999999999i')
struct.calcsize('9223372036854775807i')
struct.calcsize('9223372036854775807x')
struct.calcsize('9223372036854775807xx')
struct.calcsize('ci0q')
struct.calcsize('=ciq')
struct.calcsize('@b?e')
struct.pack('ii', 1)
struct.pack_into('ii', bytearray(8), 0, 1)
struct.pack_into('ii', bytearray(8), 1, 1, 2)
struct.pack_into('ii', bytearray(8), -9, 1, 2)
struct.pack_into('ii', bytearray(8), -7, 1, 2)
struct.pack_into('ii', b'12345678', 0, 1, 2)
struct.pack_into('ii', 5, 0, 1, 2)
struct.pack_into('ii')
struct.pack_into('ii', bytearray(8))
struct.pack_into('ii', bytearray(8), 'a', 1, 2)
struct.pack_into('ii', bytearray(8), 2**70, 1, 2)
struct.unpack('ii', b'1234567')
struct.unpack('ii', b'123456789')
struct.unpack('ii', 'abcd')
struct.unpack_from('ii', b'123456789', 2)
struct.unpack_from('ii', b'123456789', -2)
struct.unpack_from('ii', b'123456789', -20)
struct.unpack_from('ii', b'123456789', offset=1)
struct.unpack_from('ii', buffer=b'123456789', offset=1)
struct.unpack_from('ii', b'123456789', 2**70)
list(struct.iter_unpack('<h', b'123456'))
struct.iter_unpack('<h', b'12345')
struct.iter_unpack('', b'')
struct.iter_unpack('<h', b'123456').__length_hint__()
struct.Struct('<h').size
struct.Struct('<h').format
struct.Struct(b'<h').format
struct.Struct('<h').pack(1)
struct.Struct('<h').pack(1, 2)
struct.Struct('<h').unpack_from(b'1234', 1)
struct.Struct('<h').unpack_from(b'1234', offset=2)
list(struct.Struct('<h').iter_unpack(b'1234'))
struct.Struct()
struct.Struct(5)
struct.Struct('<h').foo
struct.error('x')
struct.unpack('<?', b'\x02')
struct.unpack('P', b'\xff'*8)
struct.unpack('e', b'\x00\x7e')
struct.pack('i', 2**31)
struct.pack('I', 2**32)
struct.pack('I', -1)
struct.pack('<I', -1)
struct.pack('q', 2**63)
struct.pack('L', -1)
struct.pack('<i', 2**100)
struct.pack('B', None)
struct.pack('?', [])
struct.pack('0i')
struct.pack('0s', b'')
struct.pack('0s')
struct.unpack('0s', b'')
struct.pack('xx')
struct.pack('2x', 1)""".splitlines():
    show(text)
s = struct.Struct("<hB2s")
for call in (lambda: s.pack(1, 2, b"ab"), lambda: list(s.iter_unpack(bytes(range(10)))),
             lambda: s.unpack_from(b"12345678", offset=2), lambda: (s.size, s.format)):
    print(call())
buffer = bytearray(8)
s.pack_into(buffer, -5, 7, 8, b"xyz")
print(buffer)
for text in ("3", "<n", "z", "ii", "é"):
    try:
        struct.pack(text, 1)
    except (struct.error, UnicodeError) as error:
        print(text, str(error))
for call in (lambda: struct.unpack("ii", b"1"), lambda: struct.unpack_from("ii", b"123456789", 2),
             lambda: struct.unpack_from("ii", b"123456789", -2), lambda: struct.pack_into("ii", bytearray(8), -9, 1, 2),
             lambda: struct.pack_into("ii", bytearray(8), 1, 1, 2), lambda: struct.pack_into("ii", bytearray(8), -7, 1, 2),
             lambda: struct.iter_unpack("<h", b"12345"), lambda: struct.iter_unpack("", b""), lambda: struct.pack("ii", 1),
             lambda: struct.pack_into("ii", bytearray(8), 0, 1), lambda: struct.pack("c", "a"), lambda: struct.pack("s", "ab"),
             lambda: struct.pack("f", "a"), lambda: struct.calcsize("99999999999999999999i")):
    try:
        print(call())
    except struct.error as error:
        print(error)
