# Texts: Bytes and str in one operation
# Bytes are accepted where CPython raises TypeError, and the other way round.
def attempt(call):
    try:
        print(call())
    except TypeError:
        print('TypeError')
attempt(lambda: b'a' + 'b')
attempt(lambda: bytearray(b'a') + 'b')
attempt(lambda: 'a' in b'abc')
attempt(lambda: b'a' < 'b')
attempt(lambda: 'abc'.startswith(b'a'))
