"""Generate programs whose special methods have side effects while C code uses the object.

`SideEffectGenerator` feeds the same campaign as the generator of calls (programs.py). A program
has five groups of statements:

1. registers v0 to v7, each with a container, a stream or an iterator;
2. classes with a random subset of the special methods. Each method has up to three actions. Most
   results have the type that the method's caller in C expects;
3. objects of these classes, put into the containers;
4. operations, each of which runs twice. Their C code calls the special methods while it holds
   pointers into containers, or computes with sizes near powers of two;
5. teardown: exit functions, weak references, suspended generators, objects with finalisers.

An action changes a container that C code may be iterating: clear it, refill it to equal length with
contents of another type, resize it, or drop its last reference. Other actions collect garbage,
raise, or enter the operation again.
"""

from __future__ import annotations

import array
import io
import re
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from random import Random
from types import GeneratorType

from porter.errors import UsageError
from porter_dev.fuzz.calls.hostile_values import REGISTERS
from porter_dev.fuzz.calls.inventory import Inventory
from porter_dev.fuzz.calls.programs import CallProgram, Statement

OPERATIONS = 12  # statements of the fourth group
MAX_DEPTH = 6  # nested calls of special methods; deeper calls do nothing
MAX_CALLS = 300  # calls of special methods per program; later calls do nothing

_HOLE = re.compile(r"\{\{|\}\}|\{(\w+)\}")  # an escaped brace, or a placeholder


def _lines(text: str) -> tuple[str, ...]:
    """Return the lines of `text`; each `;;` becomes a newline."""
    return tuple(line.replace(";;", "\n") for line in text.strip().splitlines())


# Templates for the initial values of registers.
_CONTAINERS = _lines(
    """
    [{o},1,2,{o}]
    [{o} for _ in range(9)]
    [3,1,2]*7
    {{1:2,'a':3}}
    {{i:{o} for i in range(11)}}
    {{{o}:1,{o}:2,'k':{o}}}
    {{1,2,3}}
    {{{o},{o},5}}
    frozenset([{o},1])
    bytearray(b'hello world')
    bytearray(200)
    __import__('array').array('i',range(20))
    __import__('array').array('d',[1.5]*5)
    __import__('collections').deque((1,{o},3),9)
    __import__('collections').OrderedDict([(1,2),({o},3)])
    __import__('collections').namedtuple('N','a b')({o},2)
    __import__('io').BytesIO(b'abc\\ndef\\n'*9)
    __import__('io').StringIO('x y\\n'*9)
    __import__('io').BufferedWriter({o},8)
    memoryview(bytearray(40))[3:30]
    memoryview(__import__('array').array('I',range(9)))
    ({o},{o},(1,{o}))
    (x for x in {r})
    iter({r})
    zip({r},{r})
    map({o},{r})
    enumerate({r})
    reversed([1,{o},2])
    'abc'*{s}
    slice({o},{o},{o})
    """.replace("\n    ", "\n")
)
_METHOD = re.compile(r"\.([a-z_]+)\(")
# The types of the containers, by prefix of the template; the first matching prefix counts.
_KINDS: tuple[tuple[str, type], ...] = (
    *(("[", list), ("{{1:", dict), ("{{i:", dict), ("{{{o}:", dict), ("{{", set)),
    *(("frozenset", frozenset), ("bytearray", bytearray), ("__import__('array')", array.array)),
    *(("__import__('collections').deque", deque), ("__import__('collections').O", OrderedDict)),
    *(("__import__('io').B", io.BytesIO), ("__import__('io').S", io.StringIO)),
    *(("memoryview", memoryview), ("(x for", GeneratorType), ("'", str), ("(", tuple)),
    ("", object),
)
# Actions of special methods before they return. `s` is the object, `a` the tuple of arguments.
_ACTIONS = _lines(
    """
    {r}.clear()
    del {r}[:]
    del {r}[{s}]
    {r}.pop()
    {r}.append({v})
    {r}.extend([{v}]*{n})
    {r}.extend({r})
    {r}[:]=b''
    {r}[{s}:{s}]=b'zz'*{n}
    {r}[{s}]={v}
    {r}.update({{{n}+i:i for i in range({n})}})
    {r}.update({r})
    {r}.add({v})
    {r}.discard({v})
    {r}.remove({v})
    {r}.insert({s},{v})
    {r}.sort()
    {r}.reverse()
    t=list({r});;{r}.clear();;{r}.extend([0]*len(t))
    t=dict({r});;{r}.clear();;{r}.update(t)
    t=list({r});;{r}.clear();;for k in t:{r}.add(k)
    t=list({r}.items());;{r}.clear();;for k,v in t:{r}[k]=v,0
    {g}={v}
    {g}={r}
    {g}=None;;gc.collect();;_x=[bytearray(48)for _ in range(9)]
    gc.collect()
    _x=[bytearray({n})for _ in range(9)]
    _x=None;;gc.collect()
    {r}.close()
    {r}.seek({z})
    {r}.write(b'x'*{n})
    {r}.truncate({s})
    {r}.read({s})
    next({r})
    {r}.send({v})
    {r}.throw(ValueError)
    for _ in {r}:break
    _op()
    _op()
    s.x={v}
    del s.x
    s.__dict__.clear()
    _weak.append(weakref.ref(s,{o}))
    print({r},{r})
    repr({r})
    hash({r})
    list({r})
    sorted({r})
    {r}=={r}
    ({v})in {r}
    raise {e}
    raise {e}({r})
    """.replace("\n    ", "\n")
)
_SIMPLE_ACTIONS = tuple(one for one in _ACTIONS if "\n" not in one and not one.startswith("for"))
_INT, _BOOL, _TEXT, _BYTES, _ITER, _ANY = "int", "bool", "text", "bytes", "iter", "any"
# The special methods, with the type of their result.
_METHODS: dict[str, str] = {
    **dict.fromkeys(("len", "index", "int", "hash", "format", "round"), _INT),
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge", "bool", "contains", "exit"), _BOOL),
    **dict.fromkeys(("repr", "str"), _TEXT),
    **dict.fromkeys(("bytes",), _BYTES),
    **dict.fromkeys(("iter", "reversed"), _ITER),
    **dict.fromkeys(("next", "getitem", "setitem", "delitem", "call", "enter", "del"), _ANY),
    **dict.fromkeys(("getattr", "setattr", "get", "set", "delete"), _ANY),
    **dict.fromkeys(("add", "radd", "sub", "mul", "rmul", "mod", "and", "or", "iadd"), _ANY),
    **dict.fromkeys(("imul", "neg", "divmod", "float", "complex", "matmul"), _ANY),
}
# Methods of streams and block devices; their names have no underscores.
_STREAM: dict[str, str] = {
    **dict.fromkeys(("read", "readline"), _BYTES),
    **dict.fromkeys(("readinto", "write", "ioctl", "seek", "tell", "flush", "close"), _INT),
}
_OFTEN = ("eq", "hash", "lt", "len", "index", "iter", "next", "getitem", "del", "repr", "call")
_RESULTS: dict[str, tuple[str, ...]] = {
    _INT: ("{s}", "{s}", "{n}", "{z}", "len({r})", "_n", "True"),
    _BOOL: ("True", "False", "_n&1", "s is a[0] if a else 1"),
    _TEXT: ("'r'", "'é'*{n}", "repr({r})", "str(_n)"),
    _BYTES: ("b''", "b'ab\\n'", "b'x'*{n}", "bytes({s})"),
    _ITER: ("s", "iter({r})", "iter([1,2,s])", "(i for i in {r})", "_gen(s)"),
    _ANY: ("s", "{v}", "{s}", "None", "{r}", "1.5", "'x'", "b'ab'"),
}
# Operations whose C code calls special methods. Each runs twice, through `_op`.
_OPERATIONS = _lines(
    """
    {r}.sort(key={o})
    {r}.sort()
    sorted({r},key={o},reverse={o})
    ({o})in {r}
    {r}[{o}]
    {r}[{o}]={v}
    del {r}[{o}]
    {r}[{o}:{o}:{o}]
    {r}[{s}:{o}]={r}
    {r}.index({o})
    {r}.index({o},{z},{z})
    {r}.count({o})
    {r}.remove({o})
    {r}.insert({o},{o})
    {r}.pop({o})
    {r}.extend({o})
    {r}.update({o})
    {r}.update({{{o}:{o}}})
    {r}.get({o},{o})
    {r}.setdefault({o},{r})
    {r}.add({o})
    {r}.discard({o})
    {r}.union({o})
    {r}.difference_update({r})
    {r}.symmetric_difference({r})
    {r}|{r}
    {r}&{r}
    {r}-{r}
    {r}+{r}
    {r}+={r}
    {r}*{o}
    {r}*{z}
    {r}=={r}
    {r}<{r}
    dict({o})
    dict(zip({r},{r}))
    dict.fromkeys({r},{o})
    set({r})
    frozenset({o})
    list({o})
    tuple({o})
    bytes({o})
    bytearray({r})
    bytes({z})
    bytearray({o})
    max({r},key={o},default={o})
    min({o},{o})
    sum({r},{o})
    any({r})
    all({o})
    list(map({o},{r},{r}))
    list(filter({o},{r}))
    list(zip({o},{r}))
    list(enumerate({r},{z}))
    list(reversed({o}))
    next({o},{v})
    range({z},{z},{z})[{z}]
    len(range({z},{z}))
    ({z})in range({z},{z},{z})
    slice({z},{z},{z}).indices({z})
    int.from_bytes({r},'big')
    int({o})
    ({z}).to_bytes({s},'little')
    divmod({z},{o})
    pow({z},{s},{z})
    {z}*{z}-{z}
    {z}<<{s}
    ''.join({r})
    b''.join({r})
    ','.join({o})
    '%s%r'%({o},{r})
    '%*d'%({z},{s})
    '%s'%{r}
    '{{}}{{!r}}'.format({o},{r})
    '{{:>{{}}}}'.format({o},{z})
    '{{:.{{}}}}'.format('é'*9,{s})
    ('{{:%d}}'%{z}).format({s})
    str({o})
    repr({r})
    hash({o})
    print({o},{r},file={r},end={o},sep={o})
    'abc'.split({o},{z})
    'a,b'.replace(',',{o},{z})
    'abc'.center({z})
    b'abc'.find(b'c',{z},{z})
    {r}.find({r},{z})
    isinstance({o},({r},{o}))
    getattr({o},'x',{o})
    {o}({o})
    {o}[{o}]
    {o}+{o}
    with {o} as _y:{r}
    for _y in {o}:{a}
    for _y in {r}:{a}
    for _y in {r}.items():{a}
    for _y in {r}.keys():{a}
    {r}=[_y for _y in {r} if {o}]
    {{_y:{o} for _y in {r}}}
    exec('v1={s}',{r})
    eval('v1',{r},{o})
    struct.calcsize({f})
    struct.pack({f},{o},{o})
    struct.pack_into({f},{r},{z},{o},{o})
    struct.unpack_from({f},{r},{z})
    struct.unpack({f},{r})
    array.array('H',{o})
    array.array('b',{r}).extend({r})
    memoryview({r})[{z}:{z}]
    memoryview({r})[{o}]
    {r}[{s}:{s}]=memoryview({r})[{z}:]
    bytearray({n})[{z}:{z}]
    collections.deque({r},{s}).append({o})
    {r}.append({o})
    {r}.appendleft({o})
    {r}.popleft()
    {r}.move_to_end({o})
    collections.OrderedDict({r}).popitem()
    heapq.heapify({r})
    heapq.heappush({r},{o})
    heapq.heappop({r})
    json.dumps({r})
    json.dump({r},{o})
    json.loads({r})
    json.load({o})
    io.BytesIO({o}).read({z})
    io.BytesIO({r}).readinto({r})
    {r}.readinto({r})
    {r}.write({r})
    {r}.write({o})
    {r}.read({z})
    {r}.seek({z},{s})
    {r}.readline({z})
    io.BufferedWriter({o},{s}).write({r})
    io.StringIO('x'*{n}).seek({z})
    re.sub('a*',{o},'aab',{z})
    re.match('(a)|(b)',{r})
    re.compile('[a-c]+').sub({o},'abcabc')
    binascii.hexlify({r})
    binascii.unhexlify({r},{o})
    hashlib.sha256({r}).update({o})
    deflate.DeflateIO({o}).read({z})
    deflate.DeflateIO(io.BytesIO(b'x\\x9c'+bytes({n}))).readinto({r})
    random.choice({o})
    random.randrange({z},{z},{z})
    marshal.loads(marshal.dumps(compile('{s}','x','eval')))
    marshal.dumps({r})
    uctypes.sizeof({r})
    framebuf.FrameBuffer({r},{s},{z},{s}).fill({z})
    framebuf.FrameBuffer({r},{s},{s},1).scroll({z},{z})
    framebuf.FrameBuffer({r},{s},{s},{s}).blit({r},{z},{z},{z})
    select.poll().register({o})
    type('T',({o}.__class__,),{r})({r})
    type({o})({r})
    super(type({o}),{o}).__repr__()
    {r}.__class__({o})
    setattr({o}.__class__,'__eq__',{o})
    delattr({o}.__class__,'__hash__')
    _g1={o}.__iter__();;_g1.send(None)
    gc.collect()
    """.replace("\n    ", "\n")
)
_TEARDOWN = _lines(
    """
    sys.atexit({o})
    sys.atexit(lambda:{r}.sort(key={o}))
    sys.atexit(lambda:_op())
    _weak.append(weakref.ref({o},{o}))
    _weak.append(weakref.ref({o},lambda w:{r}.clear()))
    _weak.append(weakref.finalize({o},{o},{r}))
    _k=_gen({o});;next(_k)
    _k=[_gen(i)for i in range(9)];;for _i in _k:next(_i)
    _k=io.BufferedWriter({o},8);;_k.write(b'abc')
    _x={o};;_x.y=_x;;_x=None
    sys.exit({o})
    raise {e}({o})
    del {g};;gc.collect()
    """.replace("\n    ", "\n")
)
_SIZES = (
    *(f"(1<<{power})" for power in (31, 32, 46, 47, 60, 61, 62, 63, 64)),
    *(f"((1<<{power})-1)" for power in (15, 31, 32, 46, 47, 62, 63, 64)),
    *(f"((1<<{power})//{by})" for power in (32, 63, 64) for by in (2, 4, 8, 24)),
)
_TYPECODES = "bBhHiIqQfdPs"
_ERRORS = ("ValueError", "KeyError", "StopIteration", "MemoryError", "OSError", "IndexError")
_BASES = (
    *("object",) * 6,
    *("list", "dict", "tuple", "str", "bytes", "int", "set", "bytearray", "Exception"),
    *("io.IOBase",) * 3,
    *("collections.deque", "collections.OrderedDict", "array.array"),
)
_MODULES = (
    *("sys", "gc", "io", "struct", "array", "collections", "json", "re", "binascii", "hashlib"),
    *("deflate", "random", "marshal", "uctypes", "framebuf", "select", "weakref", "heapq"),
)
_SIZES_OF_ALL = """\
for _y in (v0,v1,v2,v3,v4,v5,v6,v7):
  try:print(len(_y))
  except Exception as e:print(type(e).__name__)"""
_PROLOGUE = f"""\
_n=_d=0
_weak=[]
_k=_x=_y=None
def _op():pass
def _gen(x):
 try:
  while 1:
   yield x
   x()
 finally:
  x()
def _do(f,s,a):
 global _n,_d
 _n+=1
 if _d>={MAX_DEPTH} or _n>{MAX_CALLS}:return 0
 _d+=1
 try:return f(s,a)
 finally:_d-=1
"""


class SideEffectGenerator:
    """A generator of programs. Equal seeds give equal programs.

    Args:
        known: The names of the build; modules that it lacks are not imported.
        without: A regular expression. No generated statement matches it.
        operations: The number of statements in the fourth group.

    Raises:
        UsageError: `without` is not a valid regular expression, or it matches nearly every
            statement.
    """

    def __init__(self, known: Inventory, without: str = "", operations: int = OPERATIONS) -> None:
        try:
            self._without = re.compile(without) if without else None
        except re.error as error:
            raise UsageError(f"--without: {without!r} is no regular expression: {error}") from None
        self._operations = operations
        names = [name for name in _MODULES if name in known.callables or name == "gc"]
        imports = "".join(f"try:import {name}\nexcept ImportError:pass\n" for name in names)
        self._prologue = imports + _PROLOGUE

    def program(self, seed: str) -> CallProgram:
        """Return the program for a seed."""
        writer = _ProgramWriter(Random(seed))
        groups: tuple[tuple[int, Callable[[int], Statement]], ...] = (
            (REGISTERS, lambda i: Statement((f"v{i}=[{i},1,2]",))),
            (writer.classes, writer.class_statement),
            (REGISTERS, writer.container),
            (self._operations, lambda _: writer.operation()),
            (1, lambda _: Statement((_SIZES_OF_ALL,))),
            (2, lambda _: writer.filled(writer.pick(_TEARDOWN))),
        )
        statements: list[Statement] = []
        for count, make in groups:
            statements += [self._allowed(make, i) for i in range(count)]
        return CallProgram(tuple(statements), seed, prologue=self._prologue)

    def _allowed(self, make: Callable[[int], Statement], i: int) -> Statement:
        for _ in range(100):
            statement = make(i)
            if self._without is None or not self._without.search(statement.text):
                return statement
        raise UsageError("--without: it matches nearly every statement")


class _ProgramWriter:
    """The random choices and statements of one program."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.classes = 2 + self.below(3)
        self.kinds: dict[str, type] = {}
        # Most statements use few registers, so that actions often hit a container in use by C code.
        self.hot = [self.register() for _ in range(1 + self.below(3))]

    def container(self, number: int) -> Statement:
        """Return a statement that puts a container into a register."""
        template = self.pick(_CONTAINERS)
        statement = self.filled(f"v{number}={template}")
        self.kinds[f"v{number}"] = next(
            kind for start, kind in _KINDS if template.startswith(start)
        )
        return statement

    def register(self) -> str:
        return f"v{self.below(REGISTERS)}"

    def below(self, count: int) -> int:
        return int(self.random.random() * count)

    def pick(self, among: Sequence[str]) -> str:
        return among[self.below(len(among))]

    def filled(self, template: str) -> Statement:
        """Fill a template; the parts of the statement at odd positions are the values."""
        parts = [""]
        at = 0
        text = template.replace("\n", "\n ")
        for hole in _HOLE.finditer(text):
            parts[-1] += text[at : hole.start()]
            at = hole.end()
            if hole[1] is None:
                parts[-1] += hole[0][0]
            else:
                parts += [self.value(hole[1], text[at:]), ""]
        parts[-1] += text[at:]
        return Statement(tuple(parts))

    def value(self, kind: str, following: str = "") -> str:
        """Return the text for a placeholder.

        Args:
            kind: The name of the placeholder.
            following: The template behind the placeholder, to find a method call.
        """
        match kind:
            case "r" | "g":
                method = _METHOD.match(following)
                if method is not None and self.random.random() < 0.9:
                    able = [name for name, kind in self.kinds.items() if hasattr(kind, method[1])]
                    if able:
                        return self.pick([name for name in able if name in self.hot] or able)
                return self.pick(self.hot) if self.random.random() < 0.7 else self.register()
            case "o":
                if self.random.random() < 0.15:
                    return self.register()
                return f"C{self.below(self.classes)}()"
            case "s":
                return str(self.below(24) - 4)
            case "n":
                return str((1, 2, 3, 8, 17, 40, 130, 300)[self.below(8)])
            case "z":
                return self.size()
            case "e":
                return self.pick(_ERRORS)
            case "f":
                return self.format()
            case "a":
                return self.filled(self.pick(_SIMPLE_ACTIONS)).text
            case _:
                return self.value("rosnz"[self.below(5)])

    def size(self) -> str:
        """Return an expression for a size that the compiler cannot fold to a constant."""
        if self.random.random() < 0.3:
            return f"({self.pick(_SIZES)}-len(_weak)-{self.below(9)})"
        return f"(_n-_n+{self.pick(_SIZES)}+{self.below(9) - 4})"

    def format(self) -> str:
        """Return a struct format whose counts add up to a size, or wrap around 2**64."""
        count = (1, 1, 2, 3, 9, 4000)[self.below(6)]
        letter = self.pick(_TYPECODES)
        return f"{self.pick(('', '<', '>', '@'))!r}+'%d{letter}'%({self.size()}//{count})*{count}"

    def operation(self) -> Statement:
        """Return an operation that runs twice and that special methods can enter again."""
        inner = self.filled(self.pick(_OPERATIONS))
        names = ",".join(f"v{i}" for i in range(REGISTERS))
        first, *rest = inner.parts
        head = f"def _op():\n  global {names},_k,_x,_y\n  {first}"
        tail = "\n for _i in 0,1:\n  try:_op()\n  except Exception as e:print(type(e).__name__)"
        parts = [head, *rest]
        parts = [part.replace("\n ", "\n  ") if i else part for i, part in enumerate(parts)]
        return Statement((*parts[:-1], parts[-1] + tail))

    def class_statement(self, number: int) -> Statement:
        """Return a class with some of the special methods."""
        stream = self.random.random() < 0.25
        names = list(_STREAM) if stream else [f"__{name}__" for name in self.chosen()]
        kinds = {**{f"__{name}__": kind for name, kind in _METHODS.items()}, **_STREAM}
        base = "io.IOBase" if stream else self.pick(_BASES)
        lines = [f"class C{number}({base}):"]
        for name in names:
            lines.append(f"  def {name}(s,*a):return _do(_m{number}{name},s,a)")
        before = []
        for name in names:
            before.append(self.method(f"_m{number}{name}", kinds[name]))
        return Statement(("\n ".join([*before, lines[0]]) + "\n" + "\n".join(lines[1:]),))

    def chosen(self) -> list[str]:
        """Return names of special methods, without underscores."""
        found = {name for name in _OFTEN if self.random.random() < 0.5}
        found.update(self.pick(list(_METHODS)) for _ in range(self.below(6)))
        return sorted(found)

    def method(self, name: str, kind: str) -> str:
        """Return a function with side effects, for a method, indented by one space."""
        names = ",".join(f"v{i}" for i in range(REGISTERS))
        lines = [f"def {name}(s,a):", f"  global {names},_k,_x,_y"]
        for _ in range(self.below(4)):
            action = self.filled(self.pick(_ACTIONS)).text
            body = action.replace("\n ", "\n    ")
            if self.random.random() < 0.5:
                lines.append(f"  if _n%{2 + self.below(5)}==0:\n    {body}")
            elif self.random.random() < 0.7:
                lines.append(f"  try:\n    {body}\n  except Exception:pass")
            else:
                lines.append("  " + action.replace("\n ", "\n  "))
        kinds = kind if self.random.random() < 0.85 else _ANY
        if self.random.random() < 0.2 and name.endswith(("next__", "iter__")):
            lines.append("  if _n%5==4:raise StopIteration")
        lines.append("  return " + self.filled(self.pick(_RESULTS[kinds])).text)
        return "\n".join(lines)
