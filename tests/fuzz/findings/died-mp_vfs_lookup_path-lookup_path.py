# Bytes of an empty buffer had no memory, where C looks for a null byte behind them.
v0 = b''.__class__(memoryview(bytearray()))
v3 = __import__('io').open(v0, 0)
