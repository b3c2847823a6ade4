# Library: The class of an enumeration's member
# `isinstance(Color.RED, Color)` is true in both.
from enum import Enum
class Color(Enum):
    RED = 1
print(type(Color.RED) is Color, isinstance(Color.RED, Color))
