import struct, json, re, sys
from array import array
print(struct.unpack('<hI', struct.pack('<hI', -1, 7)))
print(json.loads('{"a": [1, null, 2.5e1, "\\u0041"]}'), json.dumps({'b': (1, None)}))
print(re.match('(a|b)*c?[^d-f]$', 'abx').group(0), re.sub('x+', 'y', 'xxz'))
print(array('h', [1, 2]), bytearray(b'ab') + b'c', memoryview(b'abc')[1:])
from collections import namedtuple, deque, OrderedDict
print(namedtuple('P', 'x y')(1, 2), deque((1, 2), 3), sorted('cab', key=ord))
