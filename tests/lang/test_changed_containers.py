"""Comparisons and hashes of a program that change the container for which they are called."""

from __future__ import annotations

import pytest

from porter import InterpreterArray
from porter.run import Device, Launch, run

MUTATOR = """\
import collections, heapq
class C:
    def __init__(self, container): self.container = container
    def __hash__(self): return 7
    def act(self, other):
        {act}
        return {answer}
    __eq__ = __lt__ = __gt__ = __le__ = __ge__ = act
{make}
try:
    {call}
    print('went on')
except (RuntimeError, IndexError, ValueError, TypeError) as e:
    print(type(e).__name__)
print(len([0] * 50), {{i: i for i in range(20)}}[7])
"""
LIST = "l = []\nl.extend([C(l) for i in range(9)])"
DICT = "l = {make}\nfor i in range(5): l[C(l)] = i"
SET = "l = set()\nfor i in range(5): l.add(C(l))"
CLEAR = "self.container.clear()"
GROW = "self.container.extend([0] * 9)"
LISTS = ["l.count(0)", "l.index(0)", "l.index(0, 2, 8)", "l == [1] * 9", "l < [1] * 9"]
HEAPS = ["heapq.heapify(l)", "heapq.heappush(l, C(l))", "heapq.heappop(l)", "l.remove(0)"]


def check(device: Device, act: str, answer: str, make: str, call: str) -> bytes:
    """Check that both interpreters succeed; return the first line of the first one's output."""
    program = MUTATOR.format(act=act, answer=answer, make=make, call=call)
    result = run(device, [program], 2)
    result.raise_for_status()
    first, rest = result.stdout[0].split(b"\n", 1)
    assert rest == b"50 7\n", program
    return first


@pytest.mark.parametrize("act", [CLEAR, GROW])
@pytest.mark.parametrize("answer", ["True", "False"])
@pytest.mark.parametrize("call", [*LISTS, *HEAPS])
def test_a_list(roomy_device: Device, call: str, act: str, answer: str) -> None:
    first = check(roomy_device, act, answer, LIST, call)
    assert first in (b"went on", b"RuntimeError", b"IndexError", b"ValueError", b"TypeError")


@pytest.mark.parametrize("call", ["heapq.heapify(l)", "heapq.heappop(l)"])
def test_a_heap_that_loses_items_says_so(roomy_device: Device, call: str) -> None:
    assert check(roomy_device, CLEAR, "True", LIST, call) == b"RuntimeError"


@pytest.mark.parametrize("kind", ["{}", "collections.OrderedDict()"])
@pytest.mark.parametrize("call", ["l[C(l)]", "l[C(l)] = 1", "l.pop(C(l))", "C(l) in l"])
def test_a_dict_that_is_cleared(roomy_device: Device, kind: str, call: str) -> None:
    make = "D = []\n" + DICT.format(make=kind)
    act = "if len(self.container) > 4: self.container.clear()"
    assert check(roomy_device, act, "False", make, call) == b"RuntimeError"


@pytest.mark.parametrize("call", ["C(l) in l", "l.add(C(l))", "l.discard(C(l))"])
def test_a_set_that_is_cleared(roomy_device: Device, call: str) -> None:
    act = "if len(self.container) > 4: self.container.clear()"
    assert check(roomy_device, act, "False", SET, call) == b"RuntimeError"


@pytest.mark.parametrize(
    "make, found", [("l = {1: 1}", b"refused"), ("l = {1}", b"False")], ids=["dict", "set"]
)
def test_a_hash_that_empties_the_table(roomy_device: Device, make: str, found: bytes) -> None:
    program = f"""\
{make}
class H:
    def __hash__(self):
        l.clear()
        return 1
try:
    print(H() in l)
except RuntimeError:
    print('refused')
print(len(l))
"""
    assert run(roomy_device, [program], 2).stdout[0] == found + b"\n0\n"


def test_comparisons_that_change_nothing_answer_as_before(roomy_device: Device) -> None:
    program = """\
class E:
    def __init__(self, v): self.v = v
    def __eq__(self, o): return self.v == o.v
    def __lt__(self, o): return self.v < o.v
    def __gt__(self, o): return self.v > o.v
    def __hash__(self): return self.v & 1
a, b = [E(i) for i in (1, 2, 3)], [E(i) for i in (1, 2, 4)]
print(a == b, a < b, a > b, a != b, a == a[:], a < a[:2], a[:2] < a, [] < [], [] == [])
print(a.index(E(3)), a.count(E(2)), a.index(E(2), 1), a.index(E(2), -2, 3))
try:
    a.index(E(2), 2)
except ValueError as e:
    print(type(e).__name__)
try:
    print([1, 'a'] < [1, 2])
except TypeError:
    print('no order')
d = {E(i): i for i in range(9)}
print(d[E(5)], E(9) in d, d.pop(E(4)), len(d), E(4) in d, len({E(1), E(1), E(2)}))
"""
    expected = (
        b"False True False True True False True False True\n2 1 1 1\nValueError\n"
        b"no order\n5 False 4 8 False 2\n"
    )
    assert run(roomy_device, [program], 2).stdout[0] == expected


# Numbers whose conversion clears the list that contains them.
ASKED = """
import framebuf, time
class N:
    def __init__(self, value): self.value = value
    def __int__(self):
        given.clear()
        given.extend([None] * 3)
        return self.value
    __index__ = __int__
def tried(call):
    try:
        print(call())
    except (TypeError, ValueError) as e:
        print(type(e).__name__)
    print(given, len([0] * 50))
given = [N(i) for i in (2000, 1, 2, 3, 4, 5, 0, 0)]
tried(lambda: time.mktime(given) == time.mktime((2000, 1, 2, 3, 4, 5, 0, 0)))
frame = framebuf.FrameBuffer(bytearray(64), 8, 8, framebuf.MONO_VLSB)
given = [bytearray(8), N(8), N(8), N(framebuf.MONO_VLSB)]
tried(lambda: frame.blit(given, 0, 0))
given = [N(1), N(2)]
tried(lambda: b'%d %d' % tuple(given))
given = ['a', 'b']
tried(lambda: (lambda *a: a)(*given, *given) + tuple(given))
tried(lambda: '-'.join(given))
a, *b = given
c, d = given
given[1:] = given
print(a, b, c, d, given)
"""


def test_what_is_asked_for_its_number_clears_the_list(roomy_device: Device) -> None:
    result = run(roomy_device, [ASKED], 2)
    assert result.stderr[1] == b""
    lines = result.stdout[1].decode().splitlines()
    cleared = "[None, None, None] 50"
    assert lines[0:2] == ["True", cleared]
    assert lines[2:4] == ["None", cleared]
    assert lines[5] == cleared
    assert lines[6:10] == [
        "('a', 'b', 'a', 'b', 'a', 'b')",
        "['a', 'b'] 50",
        "a-b",
        "['a', 'b'] 50",
    ]
    assert lines[10] == "a ['b'] a b ['a', 'a', 'b']"


# An index whose conversion shortens the container. Each line equals that for a container that was
# short before.
SHORTENED = """
import array
class N:
    def __init__(self, value): self.value = value
    def __int__(self):
        shorten()
        return self.value
    __index__ = __int__
def clear(): what.clear()
def cut():
    if len(what) > 4: what[4:] = what[:0]
def tried(make, how):
    global what, shorten
    what = make()
    shorten = clear if isinstance(what, list) else cut
    try:
        found = how(what)
    except (IndexError, NotImplementedError, TypeError, ValueError) as e:
        found = type(e).__name__
    what.extend(what[:2])
    return found, len(what)
def store(index, value):
    def stored(o): o[index] = value
    return stored
def delete(o): del o[N(100):N(200)]
class Slices:
    def __getitem__(self, index): return index
made = Slices()
makes = [lambda: list(range(1000)), lambda: bytearray(4096), lambda: array.array('h', range(999))]
for make in makes:
    print([tried(make, how) for how in (
        lambda o: o[N(700)], lambda o: list(o[N(100):N(200)]), lambda o: list(o[N(2):N(900):N(3)]),
        store(N(800), 1), store(made[N(100):N(200)], make()[:5]),
        store(made[N(1):N(3)], make()[:3]))])
print(tried(makes[0], lambda o: o.pop(N(700))), tried(makes[0], lambda o: o.pop(N(-1))))
print(tried(makes[0], delete))
class Key:
    def __int__(self): return 1 // 0
print({Key: 1}[Key], [1, 2, 3][True], (4, 5, 6)[N(1)], 'abc'[N(1):N(9)], b'abc'[N(0)])
"""


def test_an_index_that_shortens_the_sequence(roomy_device: Device) -> None:
    result = run(roomy_device, [SHORTENED], 2, Launch(heap=1 << 18))
    assert result.stderr[1] == b""
    lists, buffers, arrays, pops, deletes, last = result.stdout[1].decode().splitlines()
    gone = "('IndexError', 0)"
    assert lists == f"[{gone}, ([], 0), ([], 0), {gone}, (None, 7), (None, 5)]"
    short = "('IndexError', 6)"
    stepped = "([0], 6)"
    assert buffers == f"[{short}, ([], 6), {stepped}, {short}, (None, 11), (None, 7)]"
    assert arrays == buffers.replace("[0]", "[2]")
    assert pops == f"{gone} {gone}"
    assert deletes == "(None, 0)"
    assert last == "1 2 5 bc 97"


# A key that frees the dict's table while it is printed or compared, and reuses that memory.
GIVEN_AWAY = """
import ujson as json
from ucollections import OrderedDict
class K:
    def __init__(self, n): self.n = n
    def __hash__(self): return 1
    def __eq__(self, other):
        give_away()
        return self.n == other.n
    def __repr__(self):
        give_away()
        return 'k'
def give_away():
    if armed:
        for d in dicts: d.clear()
        for _ in range(50): others.extend([b'.' * n for n in (32, 64, 96, 128, 160)])
for kind in (dict, OrderedDict):
    for act in (str, json.dumps, lambda d: d == dicts[1], lambda d: dict(dicts[1]).update(d) or d):
        armed, others = False, []
        dicts = [kind([(K(i), 'value%d' % i) for i in range(3)]) for _ in range(2)]
        armed = True
        try:
            found = act(dicts[0])
        except RuntimeError as e:
            found = 'RuntimeError'
        print(found, [len(d) for d in dicts], len(others) > 0, len([0] * 50))
"""


def test_a_key_that_gives_the_table_away(roomy_device: Device) -> None:
    result = run(roomy_device, [GIVEN_AWAY], 2, Launch(heap=1 << 19))
    assert result.stderr[1] == b""
    lines = result.stdout[1].decode().splitlines()
    assert len(lines) == 8 and all(line.endswith("[0, 0] True 50") for line in lines)
    assert lines[0].startswith("{k: 'value") and lines[1].startswith('{"k": "value')
    assert lines[4].startswith("OrderedDict({k: 'value0'})") and lines[5].startswith(lines[1][:12])


# A stream that frees the object being printed, at one of its writes, and reuses that memory.
PRINTED = """
import array, io, sys, ucollections as collections, ujson as json
class Stream(io.IOBase):
    def __init__(self, at): self.at, self.text = at, ''
    def write(self, data):
        self.text += data if isinstance(data, str) else data.decode()
        self.at -= 1
        if self.at == 0:
            give_away()
            for _ in range(9): others.extend([b'\\xf8' * 16 * n for n in (1, 2, 4, 6, 8, 10)])
        return len(data)
def failing(depth):
    if depth:
        failing(depth - 1)
    else:
        raise what
def failed():
    global what
    what = ValueError('given')
    again()
    return what
def again():
    try:
        failing(3)
    except ValueError:
        pass
def array_away(): what[:] = array.array('h')
def bytes_away(): what[:] = b''
def printed_keys(what, stream): print(what.keys(), file=stream)
def printed_items(what, stream): print(what.items(), file=stream)
makes = [
    ('list', lambda: [10, 'a', [2], (3,)], lambda: what.clear(), print),
    ('items', lambda: [10, 'a', [2]], lambda: what.pop(), print),
    ('json', lambda: [10, 'a', [2], {'a': 5}], lambda: what.clear(), json.dump),
    ('set', lambda: set(range(9)), lambda: what.clear(), print),
    ('fewer', lambda: set(range(40, 45)), lambda: what.pop(), print),
    ('frozen', lambda: {1: frozenset((1, 2, 3))}, lambda: what.clear(), print),
    ('dict', lambda: {1: 'a', 'b': [2], 3: None}, lambda: what.clear(), print),
    ('objects', lambda: {1: 'a', 'b': [2], '3': None}, lambda: what.clear(), json.dump),
    ('ordered', lambda: collections.OrderedDict([(1, 2), (3, 4)]), lambda: what.clear(), print),
    ('keys', lambda: {1: 'a', 'b': [2]}, lambda: what.clear(), printed_keys),
    ('view', lambda: {1: 'a', 'b': [2]}, lambda: what.clear(), printed_items),
    ('array', lambda: array.array('h', range(5)), array_away, print),
    ('bytes', lambda: bytearray(b'abc'), bytes_away, print),
    ('error', failed, again, sys.print_exception),
    ('parts', lambda: [OSError(2, 'a'), KeyError(1, 2)], lambda: what.clear(), print),
]
for name, make, give_away, act in makes:
    ends = 0
    for at in range(1, 40):
        others, what = [], None
        what = make()
        stream = Stream(at)
        try:
            act(what, file=stream) if act is print else act(what, stream)
        except (RuntimeError, TypeError) as e:
            print(name, at, repr(e))
        if stream.at > 0:
            break
        ends += 1
    printed = act not in (json.dump, sys.print_exception)
    print(name, ends == 2 if printed else ends > 2, len([0] * 50), stream.text.strip())
"""


def test_a_stream_that_gives_away_what_is_printed_to_it(roomy_device: Device) -> None:
    """print() passes two whole texts, the object's and the end of line; the others pass parts."""
    result = run(roomy_device, [PRINTED], 2, Launch(heap=1 << 19))
    assert result.stderr[1] == b""
    lines = result.stdout[1].decode().splitlines()
    ends = [line for line in lines if " True 50 " in line]
    assert len(ends) == 15, lines
    assert ends[0].endswith(" [10, 'a', [2], (3,)]") and ends[2].endswith('{"a": 5}]')
    assert ends[-1].endswith(" [FileNotFoundError(2, 'a'), KeyError(1, 2)]")
    assert not [line for line in lines if "Error(" in line and line not in ends]


# The method that compares replaces the table by one of equal size and count. Whether memory for it
# is free at the old address depends on what was allocated before, so many sizes are tried.
REFILLED = """\
class Key:
    def __init__(self, n): self.n = n
    def __hash__(self): return 7
    def __eq__(self, other):
        global acting
        if acting:
            acting = False
            kept = {keep}
            table.clear()
            {refill}
        return self is other
acting = False
raised = went_on = 0
for size in range(2, 40):
    for before in range(4):
        acting = False
        junk = [[0] * k for k in range(before)]
        table = {make}
        for n in range(size): {add}
        wanted = Key(-1)
        acting = True
        try:
            wanted in table
            went_on += 1
        except RuntimeError:
            raised += 1
print(raised, went_on)
"""
TABLES = {
    "dict": {
        "keep": "list(table.items())",
        "refill": "for k, v in kept: table[k] = v",
        "make": "{}",
        "add": "table[Key(n)] = n",
    },
    "set": {
        "keep": "list(table)",
        "refill": "for k in kept: table.add(k)",
        "make": "set()",
        "add": "table.add(Key(n))",
    },
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", TABLES)
def test_a_table_that_is_filled_again_is_another(
    any_device: Device, name: str, compiled: bool
) -> None:
    if compiled and any_device.on_gpu:
        pytest.skip("a GPU runs native code of programs that it was opened with")
    source = REFILLED.format(**TABLES[name])
    with InterpreterArray(2, device=any_device, heap="256K") as array:
        outcome = array.exec(source, compiled=compiled)
        assert outcome.stdout[0] == b"152 0\n"
