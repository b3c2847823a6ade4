import inspect, functools
from inspect import signature, Parameter, Signature
def f0(): pass
def f1(a, b=2, *args, c, d, **kwargs): pass
def f2(a, /, b, *, c): pass
def f3(a, b=1, /): pass
def f4(*, k=3): pass
def f5(*args): pass
def f6(**kwargs): pass
def f7(x, y="s", z=None): return x
f8 = lambda a, b=[1]: a
def gen(a, b=1): yield a
async def co(a): pass
def outer(q):
    def inner(a, b=q, *, k=q): return q, a
    return inner
class C:
    def __init__(self, a, b=3): pass
    def m(self, x, *, y=1): pass
    @classmethod
    def cm(cls, z): pass
    @staticmethod
    def sm(w, v=2): pass
    def __call__(self, p): pass
class D(C): pass
class N:
    def __new__(cls, n, m=5): return object.__new__(cls)
class Plain: pass
def deco(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs): return fn(*args, **kwargs)
    return wrapper
@deco
def wrapped(alpha, beta=2): pass
names = "f0 f1 f2 f3 f4 f5 f6 f7 f8 gen co outer C D N Plain wrapped".split()
objs = [(n, globals()[n]) for n in names] + [("inner", outer(5)), ("C.m", C.m), ("C().m", C(1).m), ("C.cm", C.cm), ("C.sm", C.sm), ("C()", C(1)), ("D().m", D(1).m), ("partial", functools.partial(f7, 1)), ("partial2", functools.partial(f7, y=5)), ("partial3", functools.partial(f1, 1, 2, 3, c=4, d=8))]
for n, o in objs:
    try:
        s = signature(o)
        print(n, s, repr(s), [(p.name, str(p.kind), repr(p.kind), p.default is p.empty or p.default, str(p), repr(p)) for p in s.parameters.values()], s.return_annotation is Signature.empty)
    except Exception as e: print(n, type(e).__name__, e)
for n in ("f0","f1","f2","f7","f8","f4"):
    spec = inspect.getfullargspec(globals()[n]); print(n, spec.args, spec.varargs, spec.varkw, spec.defaults, spec.kwonlyargs, spec.kwonlydefaults)
def b(f, *a, **k):
    try:
        r = signature(f).bind(*a, **k)
        print(r, r.args, r.kwargs, dict(r.arguments)); r.apply_defaults(); print(dict(r.arguments), r.args, r.kwargs)
    except TypeError as e: print("TypeError", e)
b(f0); b(f0, 1); b(f0, x=1); b(f1, 1, c=2, d=1); b(f1, 1, 2, 3, 4, c=5, d=7, z=6); b(f1, 1); b(f1); b(f2, 1, 2, c=3); b(f2, 1, b=2, c=3); b(f7, 1, x=2); b(f7, y=3); b(f7, 1, z=9); b(f5, 1, 2); b(f6, a=1); b(C(1).m, 5, y=6); b(C, 1)
print(signature(f7) == signature(f7), signature(f7) == signature(f8), hash(signature(f0)) == hash(signature(f0)))
print(sorted(inspect.getcallargs(f7, 1, z=5).items()))
for a in [("a", 1), ("a b", 1), ("a", 9), (3, 1)]:
    try: print(repr(Parameter(*a)))
    except Exception as e: print(type(e).__name__)
print(Signature([Parameter("a", Parameter.POSITIONAL_ONLY), Parameter("b", Parameter.KEYWORD_ONLY, default=3, annotation=int)], return_annotation=str))
try: Signature([Parameter("b", Parameter.KEYWORD_ONLY), Parameter("a", Parameter.POSITIONAL_ONLY)])
except ValueError as e: print(e)
try: Signature([Parameter("b", Parameter.KEYWORD_ONLY), Parameter("b", Parameter.KEYWORD_ONLY)])
except ValueError as e: print(e)
try: signature(5)
except TypeError as e: print(e)
print(Parameter("a", Parameter.KEYWORD_ONLY).replace(name="q", default=1), Parameter.KEYWORD_ONLY < Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL.description)
print(f7.__defaults__, f4.__kwdefaults__, f0.__defaults__, f0.__kwdefaults__, f4.__kwdefaults__, outer(5).__defaults__, outer(6).__kwdefaults__, gen.__defaults__)
print(str(signature(f7).replace(parameters=[])), signature(C.m).parameters["x"].kind)
