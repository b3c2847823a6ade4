from enum import *
import enum
def t(s, ns):
    try: print(s, '->', repr(eval(s, ns)))
    except Exception as e: print(s, '!!', type(e).__name__)
class Color(str, Enum):
    RED = 'r'
    GREEN = 'g'
    CRIMSON = 'r'
    def hi(self): return 'hi ' + self
class Num(int, Enum):
    ONE = 1
    TWO = 2
class Real(float, Enum):
    HALF = 0.5
    PI = 3.14
class I(IntEnum):
    LOW = 1
    HIGH = auto()
    TOP = HIGH
class P(Flag):
    R = auto()
    W = auto()
    X = auto()
    RW = R | W
class Q(IntFlag):
    A = 1
    B = 2
    C = 4
class Day(Enum):
    MON = 1
    TUE = 2
    @classmethod
    def _missing_(cls, value):
        if isinstance(value, str):
            return cls[value.upper()]
class Auto(Enum):
    def _generate_next_value_(name, start, count, last_values):
        return name.lower() + str(count)
    X = auto()
    Y = auto()
class Mixed(Enum):
    A = auto()
    B = 5
    C = auto()
class Coord(tuple, Enum):
    O = (0, 0)
    X = (1, 0)
class Base:
    def describe(self): return self.name.lower()
class Der(Base, Enum):
    U = 1
Animal = Enum('Animal', 'ANT BEE CAT')
An2 = Enum('An2', ['A','B'], start=5)
An3 = Enum('An3', {'a': 1, 'b': 2})
An4 = Enum('An4', [('a', 1), ('b', 7)])
An5 = IntEnum('An5', 'X Y')
class Bad: pass
for s in r"""Color.RED == 'r'
Color.RED
str(Color.RED)
f'{Color.RED}'
'%s' % Color.RED
Color('r')
Color.RED.value
Color.RED.name
Color.RED.upper()
Color.RED + 'x'
'x' + Color.RED
Color.RED.hi()
Color.RED in Color
len(Color)
list(Color)
isinstance(Color.RED, str)
isinstance(Color.RED, Color)
issubclass(Color, str)
{Color.RED: 1}['r']
Color.CRIMSON is Color.RED
sorted(Color)
Color.RED < Color.GREEN
'-'.join([Color.RED, Color.GREEN])
Color.RED.encode()
len(Color.RED)
Color.RED[0]
Color('x')
Num.ONE + 1
Num.ONE + Num.TWO
Num.ONE == 1
Num.ONE < Num.TWO
str(Num.ONE)
f'{Num.ONE}'
'%d' % Num.ONE
Num.ONE | 2
[10,20,30][Num.ONE]
range(Num.TWO)
sum(Num)
max(Num)
Num(2)
Num.ONE.real
-Num.ONE
~Num.ONE
Num.ONE << 3
divmod(Num.TWO, 2)
int(Num.TWO)
float(Num.TWO)
1 + Num.TWO
2 ** Num.TWO
hash(Num.ONE) == hash(1)
Real.HALF * 2
Real.HALF
Real.HALF + Real.PI
Real(0.5)
Real.PI > Real.HALF
I.HIGH
str(I.HIGH)
f'{I.HIGH}'
I.TOP
I.TOP.name
I.HIGH > I.LOW
I.HIGH + I.LOW
list(I)
[(n, m.value) for n, m in I.__members__.items()]
list(reversed(I))
I['LOW']
I(1) is I.LOW
I(9)
I['NO']
I.NO
P.R
P.RW
P.R | P.X
str(P.R | P.X)
P.R & P.W
P(3) is P.RW
P(0)
P(8)
~P.R
P.R in P.RW
P.X in P.RW
list(P)
list(P.RW)
len(P.RW)
P.RW.name
(P.R|P.X).name
(P.R|P.X).value
bool(P(0))
P.R ^ P.RW
P.R | 1
Q.A | Q.B
str(Q.A | Q.B)
Q.A | 2
Q.A + 1
Q(8)
Q(3)
~Q.A
Q.A == 1
Q(7) & ~Q.B
list(Q(5))
Q.A in Q(3)
Q(0)
f'{Q.A}'
Day('mon')
Day('x')
Day(5)
Auto.X.value
[m.value for m in Mixed]
Coord.X
Coord.X[0]
Coord((0,0))
Coord.X.value
Der.U.describe()
Animal.BEE
list(Animal)
Animal(3)
An2.B.value
An3.b
An4.b.value
An5.Y + 1
An6.Z.value
Animal.ANT.name
Animal
Color
P
Animal.__name__
type(Day.MON).__name__
Day.MON == Day.MON
Day.MON != Day.TUE
Day.MON == 1
Day.MON < Day.TUE
Day.MON in Day
hash(Day.MON) == hash('MON')
bool(Day.MON)
Day.MON.MON
Day.__len__()
dir(Day.MON)[:0]
unique(Day) is Day
enum.Enum
enum.IntEnum
enum.Flag
Day.MON.name.lower()
isinstance(Day.MON, enum.Enum)
issubclass(Day, enum.Enum)
isinstance(P.R, Flag)
isinstance(Q.A, int)
isinstance(I.LOW, (int, IntEnum))
Day.__doc__
Day.__module__
Day.MON.value.bit_length()
type(auto()).__name__
{Day.MON, Day.TUE, Day.MON} == {Day.MON, Day.TUE}
Day.MON is Day['MON']
getattr(Day, 'MON')
Day._member_names_
Day._value2member_map_
Day._member_map_
len(Q(3))""".splitlines(): t(s, globals())
def tryclass(src):
    try:
        ns = dict(globals()); exec(src, ns); print('ok', ns.get('r'))
    except Exception as e: print(type(e).__name__)
tryclass("class X(Day):\n  Z = 1")
tryclass("@unique\nclass X(Enum):\n  A = 1\n  B = 1")
tryclass("Day.MON = 5")
tryclass("del Day.MON")
tryclass("Day.NEW = 5\nr = Day.NEW")
tryclass("class X(str, Enum):\n  A = 1\nr = X.A, X.A.value")
tryclass("class X(int, Enum):\n  A = '7'\nr = X.A, X.A.value")
tryclass("class X(IntEnum):\n  A = 'x'")
tryclass("class X(Enum):\n  A = 1\n  def __str__(self): return 'x' + self.name\nr = str(X.A), f'{X.A}', repr(X.A)")
tryclass("class X(Enum):\n  _ignore_ = ['t']\n  t = 1\n  A = 1\nr = list(X)")
tryclass("class X(Enum):\n  A = 1, 'a'\n  B = 2, 'b'\n  def __init__(self, n, t): self.n = n; self.t = t\nr = X.A.n, X.B.t, X((1,'a'))")
tryclass("class X(Enum):\n  A = 1\n  B = 2\n  def __lt__(self, o): return self.value < o.value\nr = sorted([X.B, X.A]), X.A < X.B")
tryclass("class X(Enum):\n  A = 1\n  @property\n  def d(self): return self.value*2\n  @staticmethod\n  def s(): return 7\n  @classmethod\n  def c(cls): return cls.A\nr = X.A.d, X.s(), X.c(), X.A.s()")
tryclass("class O(Enum):\n  def f(self): return self.value\nclass X(O):\n  A = 1\nr = X.A.f(), isinstance(X.A, O)")
tryclass("match Day.MON:\n  case Day.TUE: r = 2\n  case Day.MON: r = 1")
