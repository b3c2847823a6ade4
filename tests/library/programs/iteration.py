from itertools import *
from itertools import count, cycle, repeat, accumulate, chain, compress, dropwhile, filterfalse, groupby, islice, pairwise, starmap, takewhile, tee, zip_longest, product, permutations, combinations, combinations_with_replacement
print(list(islice(count(3, 2), 4)), list(islice(cycle("ab"), 5)), list(repeat(1, 3)), list(accumulate([1, 2, 3])), list(accumulate([1, 2, 3], lambda a, b: a * b, initial=10)), list(accumulate([])))
print(list(chain([1], "ab")), list(chain.from_iterable([[1], [2]])), list(compress("abc", [1, 0, 1])), list(dropwhile(lambda x: x < 3, [1, 3, 1])), list(filterfalse(None, [0, 1])), list(takewhile(lambda x: x < 3, [1, 3, 1])))
print([(k, list(g)) for k, g in groupby("aabbbc")], [k for k, g in groupby([1, 1, 2, 3, 3], key=lambda x: x % 2)], list(pairwise([1, 2, 3])), list(pairwise([])), list(starmap(pow, [(2, 3)])))
gs = list(groupby("aab")); print([list(g) for k, g in gs])
a, b = tee([1, 2, 3]); print(next(a), list(b), list(a)); print(list(zip_longest("ab", "c", fillvalue="-")), list(zip_longest()), list(zip_longest([], [])))
for r in range(4):
    print(list(permutations("abc", r)), list(combinations("abc", r)), list(combinations_with_replacement("ab", r)), list(product("ab", repeat=r)))
print(list(permutations(range(4)))[::5] if 0 else len(list(permutations(range(5)))), list(permutations("")), list(product()), list(product([], [1])), list(product([1, 2], "ab")), list(combinations([], 0)), list(permutations("ab", 3)))
for a in [(5,), (2, 5), (1, None), (1, 8, 3), (None,), (0,), (3, 2)]: print(list(islice(range(10), *a)))
i = iter(range(10)); print(list(islice(i, 3)), next(i), list(islice(i, 0)), next(i), list(islice(i, 1, 3)), next(i))
for f in (lambda: islice([], -1), lambda: islice([], 1, -1), lambda: islice([], 1, 2, 0), lambda: combinations([], -1), lambda: permutations([], -1)):
    try: f()
    except Exception as e: print(type(e).__name__, e)
from operator import *
from operator import add, mul, itemgetter, attrgetter, methodcaller, mod, and_, not_, contains, iadd, countOf, indexOf, truth, lt, index, concat, length_hint, neg
import operator
print(add(1, 2), mul(3, 4), itemgetter(1)([1, 2]), itemgetter(0, 1)("ab"), attrgetter("__class__.__name__")(3), methodcaller("upper")("a"), and_(6, 3), not_(0), contains([1], 1), countOf([1, 1], 1), indexOf([1, 2], 2), operator.pow(2, 3), lt(1, 2), operator.__add__(1, 2), operator.is_(1, 1), neg(3), operator.getitem([1], 0), length_hint([1]))
l = [1]; print(iadd(l, [2]) is l, l, index(True))
from functools import *
from functools import reduce, partial, lru_cache, cache, cached_property, total_ordering, cmp_to_key, wraps, singledispatch
print(reduce(add, [1, 2, 3]), reduce(add, [], 5))
try: reduce(add, [])
except TypeError as e: print(e)
p = partial(pow, 2); print(p(5), p.args, p.keywords, partial(partial(pow, 2), 3)(), partial(add, 1)(2))
@lru_cache(None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(300))
@cache
def fibc(n, k=1): return n if n < 2 else fibc(n - 1, k=k) + fibc(n - 2, k=k)
print(fibc(50))
calls = []
@lru_cache(maxsize=2)
def sq(x): calls.append(x); return x * x
for x in [1, 2, 1, 3, 2, 1, 1]: sq(x)
print(calls)
class A:
    def __init__(self): self.n = 0
    @cached_property
    def x(self): self.n += 1; return 5
    @lru_cache(maxsize=None)
    def m(self, y): self.n += 1; return y
a = A(); print(a.x, a.x, a.n, a.m(3), a.m(3), a.n)
for op in ("__lt__", "__le__", "__gt__", "__ge__"):
    ns = {"__init__": lambda s, v: setattr(s, "v", v), "__eq__": lambda s, o: s.v == o.v, op: {"__lt__": lambda s, o: s.v < o.v, "__le__": lambda s, o: s.v <= o.v, "__gt__": lambda s, o: s.v > o.v, "__ge__": lambda s, o: s.v >= o.v}[op]}
    T = total_ordering(type("T", (), ns))
    print([(T(x) < T(y), T(x) <= T(y), T(x) > T(y), T(x) >= T(y)) for x, y in [(1, 2), (2, 2), (2, 1)]])
print(sorted([3, 1, 2], key=cmp_to_key(lambda a, b: b - a)))
@singledispatch
def f(x): return "obj"
@f.register(int)
def _(x): return "int"
@f.register(list)
def _(x): return "list"
print(f(1), f("a"), f([]), f(True))
def deco(fn):
    @wraps(fn)
    def w(*a, **k): return fn(*a, **k)
    return w
@deco
def ff(x): return x
print(ff(3))
from heapq import *
from heapq import heappush, heappop, heapify, nlargest, nsmallest, merge, heappushpop, heapreplace
h = [5, 3, 8, 1]; heapify(h); print(h, heappushpop(h, 4), h, heapreplace(h, 9), h, nlargest(2, [1, 5, 3]), nsmallest(2, [1, 5, 3], key=lambda x: -x), nlargest(10, "abc"))
print(list(merge([1, 4], [2, 3], [0, 9])), list(merge([4, 1], [3, 2], reverse=True)), list(merge(["a", "CC"], ["B"], key=str.lower if 0 else lambda s: s.lower())))
import random
h = []
for x in [5, 2, 8, 1, 9, 3]: heappush(h, x)
print(h, [heappop(h) for _ in range(6)])
import bisect
l = [1, 2, 2, 3]; print(bisect.bisect(l, 2), bisect.bisect_left(l, 2), bisect.bisect_right(l, 9), bisect.bisect_left([(1, "a"), (3, "b")], 2, key=lambda t: t[0])); bisect.insort(l, 2); bisect.insort_left(l, 0); print(l)
