from array import array
import copy


def show(text):
    try:
        print(text, "->", repr(eval(text)))
    except Exception as error:
        print(text, "!!", type(error).__name__, str(error).replace("array.array", "array"))


a = array("i", [1, 2, 3, 2])
for text in """a.typecode
a.itemsize
a.index(2)
a.count(2)
a.insert(1,9)
a
a.pop()
a.pop(0)
a
a.remove(3)
a.reverse()
a.tolist()
a.fromlist([4,5])
a.tobytes()
a.frombytes(b'abcd')
a.byteswap()
a.extend([1,2])
a.extend(array('i',[3]))
a.extend(array('b',[3]))
a+array('i',[1])
a+[1]
a+array('b',[1])
a*2
2*a
a==array('i',[1])
array('b',[1])==array('i',[1])
array('b',[1])==array('f',[1])
array('b',[1])<array('i',[2,3])
array('b',[1])<[1]
array('i',b'abcdefgh')
array('i',b'abc')
array('i',range(3))
array('i',(x for x in (1,2)))
array(1)
array('i')
repr(array('d',[1.5,2]))
str(array('d',[1.5,2]))
a[::2]
a[1:1]
1 in a
a.__copy__()
list(reversed(a))
len(a)
bool(array('i'))
array('f',['a'])
array('B',[256])
a[100]
a.append('x')
a.pop(100)
array('i').pop()
array('i').remove(3)
array('i').index(3)
bytes(array('h',[1,2]))
sorted(array('i',[3,1,2]))
a.__iadd__(array('i',[1]))
a.__imul__(2)
isinstance(a, array)
array('i',[1,2,3,4]).index(3,1)""".splitlines():
    show(text)
b = array("d", [1.5, float("nan"), -0.0])
print(b == copy.copy(b), b[::2] == copy.deepcopy(b)[::2], array("d", [1]) == array("i", [1]))
for code in "bBhHiIqQfd":
    c = array(code, [1, 2, 3])
    c.byteswap()
    print(code, c.itemsize, c.typecode, c.tobytes(), c.tolist() if code not in "fd" else "")
c = array("i", range(10))
c[2:4] = array("i", [7] * 5)
c[::3] = array("i", [0] * len(c[::3]))
del c[1:3]
c.insert(-1, 99)
c.insert(100, 98)
c *= 2
c += array("i", [5])
print(c, 99 in c, 4.0 in c, "x" in c, c.count(0), c.index(99))
try:
    c.fromlist([1, 2, "x"])
except TypeError:
    print(len(c))
print(max(c), sorted(c)[:3], c[-1], c.pop(), len(c), [x for x in reversed(array("b", b"abc"))])
m = memoryview(array("h", [1, -2, 3]))
print(
    m.tolist(),
    m.tobytes(),
    m.nbytes,
    m.format,
    m.readonly,
    m[1:].tolist(),
    memoryview(b"ab").readonly,
)
