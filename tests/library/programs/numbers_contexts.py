from fractions import Fraction as F
print(F(1, 3) + F(1, 6), F(3, 6), repr(F("3/4")), F("1.25"), F("-2e-3"), F(0.5), F(1, 2) * 2, 2 * F(1, 3), F(1, 2) / 3, 1 / F(2, 3), F(7, 2) // 1, F(7, 2) % 1, F(1, 2) ** 3, F(2, 3) ** -2, -F(1, 2), abs(F(-1, 2)), F(1, 2) < F(2, 3), F(1, 2) == 0.5, F(2) == 2, float(F(1, 4)), int(F(7, 2)), F(1, 2) + 0.5, F(3.14159).limit_denominator(100), hash(F(2)) == hash(2), {F(1, 2): 1}[F(2, 4)], sum([F(1, 3)] * 3), max(F(1, 2), F(2, 3)), F(1, -2), F(5, 2) > 2, 3 - F(1, 2), F().numerator, F(7, 3).as_integer_ratio(), bool(F(0)), F(-7, 2) // 2, F(-7, 2) % 2, sorted([F(1, 2), F(1, 3)]))
for a in (("a",), (1, 0), (1.5, 2), ("1/0",), (None,)):
    try: print(F(*a))
    except Exception as e: print(type(e).__name__, e)
import math
print(math.floor(F(7, 2)), math.ceil(F(7, 2)), math.trunc(F(-7, 2)), math.sqrt(F(1, 4)) if 0 else 1)
import statistics as s
for d in ([1, 2, 3, 4], [1.5, 2.5, 3.75], [3, 1, 4, 1, 5, 9, 2, 6], [0.1] * 7, [F(1, 2), F(1, 3)]):
    print(s.mean(d), s.median(d), s.stdev(d), s.pstdev(d), s.variance(d), s.pvariance(d), s.fmean(d), s.mode(d), s.median_low(d), s.median_high(d), s.harmonic_mean(d), s.quantiles(d), s.multimode(d))
print(s.quantiles(range(10), n=10), s.quantiles([1, 2, 3.5], method="inclusive"), s.geometric_mean([1, 2, 4]), s.median_grouped([1, 2, 2, 3]), s.mode("aabb"), s.correlation([1, 2, 3], [2, 4, 7]), s.covariance([1, 2, 3], [2, 4, 7]), s.linear_regression([1, 2, 3], [2, 4, 6]).slope)
for f in ("s.mean([])", "s.median([])", "s.stdev([1])", "s.mode([])", "s.variance([])", "s.fmean([])"):
    try: eval(f)
    except s.StatisticsError as e: print(e)
n = s.NormalDist(10, 2); print(n.mean, n.cdf(12), n.pdf(10), n)
from contextlib import *
from contextlib import contextmanager, suppress, closing, ExitStack, nullcontext
@contextmanager
def cm(x):
    print("in", x)
    try: yield x * 2
    except ValueError as e: print("caught", e)
    finally: print("out")
with cm(3) as y: print(y)
with cm(4): raise ValueError("v")
try:
    with cm(5): raise KeyError("k")
except KeyError as e: print("key", e.args)
with suppress(ZeroDivisionError): 1 / 0
with nullcontext(5) as z: print(z)
with ExitStack() as st:
    st.callback(print, "bye"); st.enter_context(cm(1))
@cm(9)
def fn(): print("fn")
fn()
class Cl:
    def close(self): print("closed")
with closing(Cl()): pass
import types, queue, base64, timeit
n = types.SimpleNamespace(a=1); n.b = 2; print(n.a, n == types.SimpleNamespace(a=1, b=2), repr(types.SimpleNamespace(x=1)))
q = queue.Queue(); [q.put(i) for i in range(50)]; print([q.get() for _ in range(50)] == list(range(50)), q.empty()); q = queue.PriorityQueue(); [q.put(i) for i in (3, 1, 2)]; print(q.get(), q.qsize(), q.get_nowait()); q = queue.LifoQueue(2); q.put(1); q.put(2); print(q.full(), q.get())
try: queue.Queue().get_nowait()
except queue.Empty: print("empty")
for d in (b"", b"a", b"ab", b"abc", b"hello world!!", bytes(range(256))):
    for n in ("b64", "b32", "b16", "b85", "urlsafe_b64"):
        e = getattr(base64, n + "encode")(d); print(e[:60]); assert getattr(base64, n + "decode")(e) == d
print(base64.b64decode("aGk="), base64.encodebytes(b"x" * 60), base64.b32decode(b"mfrgg===", casefold=True))
for f in ("base64.b64decode('abc')", "base64.b64decode('a')", "base64.b64encode('a')", "base64.b16decode('zz')"):
    try: print(eval(f))
    except Exception as e: print(type(e).__name__ in ("Error", "ValueError", "TypeError"), e)
print(timeit.timeit(lambda: None, number=3) >= 0)
import numbers
print([isinstance(v, numbers.Number) for v in (1, 1.5, 2j, "a", F(1))], isinstance(1, numbers.Integral), isinstance(1.5, numbers.Real), isinstance(F(1, 2), numbers.Rational), isinstance(1.5, numbers.Integral))
