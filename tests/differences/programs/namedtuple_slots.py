# Classes: `__slots__` of a class that derives from a named tuple
# The base class has a `__dict__`.
from collections import namedtuple
class P(namedtuple('P', 'x')):
    __slots__ = ()
try:
    P(1).y = 2
except AttributeError:
    print('refused')
else:
    print('accepted')
