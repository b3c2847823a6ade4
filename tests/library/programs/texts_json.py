import json
from collections import OrderedDict as O
print(json.dumps([1, 2.5, None, True, "a\"\n\x01é😀\x7f", (1,), {}, [], -0.0, 1e100, 10**30]), json.dumps({"a": 1}, indent=2), json.dumps([1, [2, {"b": []}]], indent=4), json.dumps([1, 2], separators=(",", ":")), json.dumps(O([("b", 1), ("a", 2)])), json.dumps({"b": 1, "a": 2}, sort_keys=True), json.dumps("é", ensure_ascii=False), json.dumps({1: 2}), json.dumps({None: 1}), json.dumps({True: 1}), json.dumps({1.5: 1}), json.dumps(float("inf")), json.dumps([[]], indent="\t"))
print(json.dumps({1, }, default=list), json.dumps([1, {"a": (1, 2)}], indent=0))
class E(json.JSONEncoder):
    def default(self, o): return [o.real, o.imag]
print(json.dumps(2 + 3j, cls=E))
for v in ({1}, {(1,): 2}, b"a", float("nan")):
    try: print(json.dumps(v, allow_nan=False))
    except Exception as e: print(type(e).__name__, str(e)[:40])
l = []; l.append(l)
try: json.dumps(l)
except ValueError as e: print(e)
for s in ('[1, 2.5, "a\\n\\u0041", null, true, {"a": {}}, -0, 1e5, 1E-2, []]', "[1,]", "nul", "01", "", " ", "{", '{"a"}', '{"a":1,}', "[1 2]", '"a', '"\\x"', '"\t"', "1 2", "NaN", "-Infinity", "-", "[", '"\\u12"', '{1:2}', "\n\n  x", "1.", "1.e5", "tru", '"\\', "[1,2", '{"a":1 "b"'):
    try: print(json.loads(s))
    except json.JSONDecodeError as e: print(e, e.lineno, e.colno, e.pos, e.msg)
print(json.loads('{"a": 1.5}', parse_float=str), json.loads("[1]", parse_int=float), json.loads('{"a": 1}', object_hook=lambda d: sorted(d.items())), json.loads('{"b": 1, "a": 2}', object_pairs_hook=list), json.loads(b"[1]"))
import textwrap as t
x = "The quick brown fox jumped over the lazy dog, well-known and state-of-the-art thing; a--b dash -x --y 1-2 non-A superlongwordthatdoesnotfit"
for w in (10, 20, 33, 70): print(t.wrap(x, w), t.fill(x, w, initial_indent="* ", subsequent_indent="  "))
print(t.dedent("  a\n    b\n\n  c\n"), t.indent("a\n\nb\n", "> "), t.shorten("Hello  world of things", 12), t.shorten("Hello world", width=5, placeholder="..."), t.wrap(""), t.wrap("a b c d e f", 5, max_lines=2), t.wrap("aaaa bbbb", 4, break_long_words=False), t.wrap("hello\tworld\n foo", 8), t.dedent("\ta\n\t  b"))
import pprint
d = {"name": "x" * 30, "values": list(range(40)), "nested": {"a": [1, 2, 3], "b": ("t" * 40, "u" * 40)}, 3: {1, 2, 3}}
pprint.pprint([1, 2, 3]); pprint.pprint({"b": 1, "a": 2}); pprint.pprint(list(range(60))); pprint.pprint({"k%d" % i: "v" * 20 for i in range(6)}); pprint.pprint([["a" * 30, "b" * 30, "c" * 30], ("d",) * 30], width=60, compact=True); print(pprint.pformat([{"a": list(range(30))}] * 2, indent=4, width=40)); pprint.pprint("lorem ipsum dolor " * 10); pprint.pprint({"x": "lorem ipsum dolor " * 6, "y": 1}); pprint.pprint([1, [2, [3, [4]]]], depth=2)
import traceback
try: 1 / 0
except ZeroDivisionError as e: print("ZeroDivisionError" in traceback.format_exc(), traceback.format_exception_only(type(e), e)[0].split(":")[0])
import inspect
class A:
    def f(self): pass
def g(): yield
print(inspect.isclass(A), inspect.isfunction(g), inspect.ismethod(A().f), inspect.isgenerator(g()), inspect.isgeneratorfunction(g), inspect.isfunction(A), inspect.ismodule(json), [n for n, _ in inspect.getmembers(A) if n == "f"], inspect.getmro(A)[0] is A)
import warnings
with warnings.catch_warnings():
    warnings.simplefilter("ignore"); warnings.warn("x")
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always"); warnings.warn("hey"); print(len(w), w[0].message)
