import string
from string import Template, Formatter, capwords
print(string.ascii_letters, string.digits, string.punctuation, repr(string.whitespace), len(string.printable), capwords("hello  wORLD"), capwords("a-bc", "-"))
t = Template("$who likes ${what}, $$5 $x1_y"); print(t.substitute(who="A", what="B", x1_y=3), t.safe_substitute(who=1), t.get_identifiers(), t.is_valid())
for s in ("$", "a\n $1", "${a", "$a"):
    try: print(Template(s).substitute({}))
    except Exception as e: print(type(e).__name__, e.args)
    print(Template(s).safe_substitute({}))
f = Formatter(); print(f.format("{0} {1!r:>5} {x} {{}} {0[1]}", "ab", "c", x=3), f.format("{} {:{}}|", 1, 2, 5), f.format("{a[k]}", a={"k": 2}))
class A:
    def __init__(self): self.l = [1]; self.me = self
import copy
from copy import deepcopy
a = A(); b = copy.copy(a); print(b.l is a.l, b is a, b.me is a); c = deepcopy(a); print(c.l is a.l, c.l, c.me is c)
l = [[1], 2]; l.append(l); m = deepcopy(l); print(m[0] is l[0], m[2] is m); print(copy.copy([1]), copy.copy({1: 2}), deepcopy({1: [2]}), deepcopy((1, [2])), sorted(deepcopy({1, 2})))
class D(dict): pass
d = D(); d['a'] = [1]; d.z = 3; e = copy.copy(d); print(e, e.z, type(e).__name__, e['a'] is d['a']); e = deepcopy(d); print(e['a'] is d['a'], e)
class C:
    def __copy__(self): return "c"
    def __deepcopy__(self, memo): return "d", type(memo).__name__
print(copy.copy(C()), deepcopy([C()])); t = (1, 2); print(deepcopy(t) is t, copy.copy(t) is t)
from collections import namedtuple, Counter, defaultdict, deque, OrderedDict
P = namedtuple("P", "x y"); p = P([1], 2); q = deepcopy(p); print(q, q.x is p.x, copy.copy(p)); print(deepcopy(Counter("a")), copy.copy(Counter("a")), deepcopy(defaultdict(list, {1: [2]})), deepcopy(OrderedDict(a=1)) == OrderedDict(a=1))
x = [1]; y = deepcopy([x, x]); print(y[0] is y[1]); print(repr(deepcopy(ValueError(1, 2))), deepcopy(print) is print, deepcopy(A) is A)
