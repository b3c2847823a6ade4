"""Exceptions as objects: causes, contexts, notes, attributes, texts and types, as in CPython."""

from __future__ import annotations

import random

from porter.run import Device, Program, run
from tests.library.compare import ROOMY, assert_alike, printed

SHOW = """\
def show(e, depth=0):
    while e is not None and depth < 12:
        print("  " * depth, type(e).__name__, str(e), repr(e), e.args, e.__suppress_context__)
        if e.__cause__ is not None:
            print("  " * depth, "cause", type(e.__cause__).__name__, e.__cause__ is e.__context__)
        e = e.__context__
        depth += 1

def attempt(call):
    try:
        print(call())
    except BaseException as e:
        show(e)

"""

TYPES = [
    "ValueError(%d)",
    "KeyError('k%d')",
    "TypeError('t', %d)",
    "Own(%d)",
    "Deep(%d)",
    "OSError(%d, 'text')",
    "OSError(%d, 'text', 'name')",
    "StopIteration(%d)",
    "RuntimeError",
    "ZeroDivisionError('z%d')",
]
CAUGHT = [
    "ValueError",
    "KeyError",
    "TypeError",
    "Own",
    "(KeyError, OSError)",
    "Exception",
    "LookupError",
    "ArithmeticError",
    "FileNotFoundError",
]
CLASSES = """\
class Own(Exception):
    def __str__(self):
        return "own " + super().__str__()

class Deep(Own):
    def __init__(self, number):
        super().__init__(number, number + 1)
        self.number = number

"""


class _Writer:
    """Writes random programs that raise, catch and raise again."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.functions: list[str] = []
        self.count = 0

    def exception(self) -> str:
        """Return an expression of a new exception."""
        self.count += 1
        text = self.random.choice(TYPES)
        return text % self.random.randrange(1, 40) if "%" in text else text

    def statement(self, depth: int, handling: bool, indent: str) -> list[str]:
        """Return the lines of one statement."""
        choice = self.random.random()
        if depth <= 0 or choice < 0.25:
            if choice < 0.05:
                return [indent + self.random.choice(["1 / 0", "[][3]", "{}['missing']", "None.x"])]
            if handling and choice < 0.12:
                return [indent + "raise"]
            if choice < 0.3:
                cause = self.random.choice(["None", self.exception(), "saved", "saved2"])
                suffix = f" from {cause}" if self.random.random() < 0.4 else ""
                thing = self.random.choice(["saved", "saved2"] + [self.exception()] * 4)
                return [f"{indent}raise {thing}{suffix}"]
            if self.functions and choice < 0.7:
                return [f"{indent}{self.random.choice(self.functions)}()"]
            self.count += 1
            return [f"{indent}print({self.count})"]
        inner = indent + "    "
        lines = [indent + "try:", *self.block(depth - 1, handling, inner)]
        for _ in range(self.random.randrange(0, 3)):
            lines.append(f"{indent}except {self.random.choice(CAUGHT)} as e{depth}:")
            lines.append(f"{inner}show(e{depth})")
            lines += self.block(depth - 1, True, inner)
        if lines[-1].startswith(indent + "try") or self.random.random() < 0.4 or len(lines) < 3:
            lines.append(indent + "finally:")
            lines.append(f"{inner}print('finally')")
            lines += self.block(depth - 2, handling, inner)
        elif not any(line.startswith(indent + "except") for line in lines):
            lines += [indent + "except LookupError:", inner + "pass"]
        return lines

    def block(self, depth: int, handling: bool, indent: str) -> list[str]:
        """Return the lines of one to three statements."""
        lines: list[str] = []
        for _ in range(self.random.randrange(1, 3)):
            lines += self.statement(depth, handling, indent)
        return lines

    def program(self) -> str:
        """Return a program."""
        lines = ["saved = ValueError('saved')", "saved2 = KeyError('saved2')"]
        for i in range(4):
            lines += [f"def f{i}():", *self.block(2, False, "    ")]
            self.functions.append(f"f{i}")
        for _ in range(6):
            lines += ["try:", *self.block(3, False, "    "), "except BaseException as e:"]
            lines += ["    show(e)", "saved = ValueError('again')", "saved2 = KeyError('again')"]
        return CLASSES + SHOW + "\n".join(lines) + "\n"


def test_random_programs(any_device: Device) -> None:
    programs = [_Writer(seed).program() for seed in range(150)]
    for program in programs:
        assert_alike(any_device, program)


ATTRIBUTES = """\
for args in [(), (1,), (2, "a"), (2, "a", "file"), (2, "a", "f", None, "g"), ("a", "b"), (13, "x"),
        (111, "x"), (999, "y"), (17, "x"), (20, "x"), (21, "x"), (1, "x"), (4, "x"), (3, "x"),
        (10, "x"), (11, "x"), (32, "x"), (103, "x"), (104, "x"), (110, "x"), (2, "a", None),
        (1, 2, 3, 4, 5, 6)]:
    e = OSError(*args)
    show(e)
    if len(args) < 6:
        print(e.errno, e.strerror, e.filename, e.filename2)
e = ValueError("a")
e.foo = 1
print(e.foo, e.__dict__)
del e.foo
attempt(lambda: e.foo)
e.add_note("n1")
e.add_note("n2")
print(e.__notes__)
attempt(lambda: e.add_note(5))
e.__notes__ = 5
attempt(lambda: e.add_note("x"))
e = Deep(1)
show(e)
e.add_note("q")
print(e.__notes__, e.with_traceback(None) is e, e.number)
for value in ([5], (), "ab", {1: 2}):
    e.args = value
    print(e.args, repr(e), str(e))
def set(name, value):
    setattr(e, name, value)
attempt(lambda: set("args", 5))
for name in ("__cause__", "__context__"):
    for value in (ValueError(3), None, 5, ValueError, "x"):
        attempt(lambda: set(name, value))
        show(e)
attempt(lambda: set("__traceback__", 5))
attempt(lambda: e.with_traceback(5))
set("__suppress_context__", True)
show(e)
print(SystemExit().code, SystemExit(3).code, SystemExit(1, 2).code)
print(StopIteration(4).value, StopIteration().value)
e = ImportError("x", name="n", path="p")
print(e.name, e.path, e.msg, ImportError("y").name, ImportError().msg)
show(e)
attempt(lambda: ValueError(a=1))
print(AttributeError("q", name="w", obj=5).obj, NameError("q", name="w").name)
for k in (KeyError(), KeyError(1), KeyError("a"), KeyError("a", "b"), SyntaxError("m")):
    show(k)
print(IOError is OSError, EnvironmentError is OSError)
print(BaseException.__str__(ValueError(5)), Exception.__repr__(ValueError(5)))
"""


def test_attributes(any_device: Device) -> None:
    assert_alike(any_device, CLASSES + SHOW + ATTRIBUTES)


def test_types(any_device: Device) -> None:
    assert_alike(
        any_device,
        """\
import builtins
names = '''ArithmeticError AssertionError AttributeError BaseException BlockingIOError
BaseExceptionGroup BrokenPipeError BufferError BytesWarning ChildProcessError
ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError
DeprecationWarning EOFError EncodingWarning EnvironmentError Exception ExceptionGroup
FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError
ImportError ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError
KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError NotADirectoryError
NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError
ProcessLookupError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning
StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError
TimeoutError TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError
UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError'''.split()
types = [getattr(builtins, name) for name in names]
for name, each in zip(names, types):
    print(name, each.__name__, [issubclass(each, other) for other in types].count(True))
    print([other.__name__ for other in types if issubclass(each, other)])
""",
    )


def test_unicode_errors(any_device: Device) -> None:
    assert_alike(
        any_device,
        SHOW
        + """\
for data in (b"\\xff", b"ab\\xc3", b"\\xe2\\x82", b"a\\xe2(\\xa1"):
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as e:
        show(e)
        print(e.encoding, e.start, e.end, e.reason, e.object)
for text in ("a\\xe9", "\\u20ac", "\\U0001f600"):
    for codec in ("ascii", "latin-1"):
        try:
            text.encode(codec)
        except UnicodeEncodeError as e:
            print(type(e), e, e.start, e.end, e.reason, e.object)
attempt(lambda: UnicodeDecodeError("x"))
attempt(lambda: UnicodeDecodeError("x", b"", "a", 1, "r"))
attempt(lambda: UnicodeDecodeError("x", 5, 0, 1, "r"))
attempt(lambda: UnicodeEncodeError("x", 5, 0, 1, "r"))
print(UnicodeDecodeError("x", b"abc", 0, 2, "why"), UnicodeDecodeError("x", b"abc", 1, 2, "why"))
""",
    )


def test_tracebacks(any_device: Device) -> None:
    assert_alike(
        any_device,
        """\
import traceback
def g():
    1 / 0
def f():
    try:
        g()
    except ZeroDivisionError as e:
        raise ValueError("v") from e
def lines(tb):
    while tb is not None:
        print(tb.tb_lineno, tb.tb_frame.f_code.co_name)
        tb = tb.tb_next
print(ValueError().__traceback__)
try:
    f()
except ValueError as e:
    lines(e.__traceback__)
    lines(e.__cause__.__traceback__)
    kept = e
print(kept.__traceback__ is None)
other = KeyError("k").with_traceback(kept.__traceback__.tb_next)
lines(other.__traceback__)
kept.__traceback__ = None
print(kept.__traceback__)
other.__traceback__ = None
other.add_note("a note\\nof two lines")
other.__context__ = ValueError()
print("".join(traceback.format_exception(other)))
print(traceback.format_exception_only(other), traceback.format_exc())
print(traceback.format_exception(other, chain=False))
other.__suppress_context__ = True
print(traceback.format_exception(other))
other.__cause__ = other
print(traceback.format_exception(other))
""",
    )


GROUPS = """\
class Sub(ExceptionGroup):
    def derive(self, excs):
        return Sub(self.message, excs)

a = ExceptionGroup("m", [ValueError(1), TypeError(2), ExceptionGroup("n", [ValueError(3)])])
a.add_note("note")
for group in (a, BaseExceptionGroup("m", [KeyboardInterrupt(), ValueError(1)]),
        BaseExceptionGroup("b", (ValueError(1),)), Sub("s", [ValueError(1), KeyError(2)])):
    show(group)
    print(group.message, group.exceptions, isinstance(group, Exception))
    for condition in (ValueError, TypeError, (KeyError, TypeError), OSError, ExceptionGroup,
            BaseException, lambda e: len(e.args) == 1):
        print([repr(part) for part in group.split(condition)], repr(group.subgroup(condition)))
    attempt(lambda: group.split(5))
    attempt(lambda: group.subgroup(int))
print(a.split(ValueError)[0].__notes__, a.derive([OSError(1)]))
attempt(lambda: ExceptionGroup("m"))
attempt(lambda: ExceptionGroup("m", []))
attempt(lambda: ExceptionGroup("m", [1]))
attempt(lambda: ExceptionGroup(1, [ValueError()]))
attempt(lambda: ExceptionGroup("m", 5))
attempt(lambda: ExceptionGroup("m", [KeyboardInterrupt()]))
"""


def test_groups(any_device: Device) -> None:
    assert_alike(any_device, SHOW + GROUPS)


def test_recursion_error(any_device: Device) -> None:
    program = """\
def f(n):
    return f(n + 1) + 1
try:
    f(0)
except RecursionError as e:
    print(type(e).__name__, e, isinstance(e, RuntimeError))
"""
    expected = "RecursionError maximum recursion depth exceeded True\n"
    assert printed(any_device, program) == expected


def test_uncaught(any_device: Device) -> None:
    program = """\
class Bad(Exception):
    def __str__(self):
        raise ValueError
try:
    try:
        raise Bad
    except Bad as e:
        raise KeyError("k") from e
except KeyError as e:
    e.add_note("note")
    raise TypeError
"""
    result = run(any_device, [Program(program, "p.py")], 1, ROOMY)
    assert (
        result.stderr[0].decode()
        == """\
Traceback (most recent call last):
  File "p.py", line 6, in <module>
Bad: <exception str() failed>

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "p.py", line 8, in <module>
KeyError: 'k'
note

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "p.py", line 11, in <module>
TypeError
"""
    )


def test_circles(any_device: Device) -> None:
    """A program may link exceptions in a circle; printing and raising end."""
    program = """\
a, b, c = ValueError("a"), KeyError("b"), TypeError("c")
a.__context__, b.__context__, c.__context__ = b, c, a
def f():
    raise a
for each in (a, b, c, OSError("d")):
    try:
        try:
            raise each
        except Exception:
            f()
    except Exception as e:
        print(e)
a.__cause__ = a
e = GeneratorExit()
def g():
    try:
        yield 1
    except GeneratorExit as e:
        e.foo = 5
        e.args = (1,)
        e.__context__ = a
        e.__traceback__ = None
        raise
i = g()
next(i)
try:
    i.close()
except AttributeError as e:
    print(type(e))
raise a
"""
    result = run(any_device, [Program(program, "p.py")], 1, ROOMY)
    assert result.stdout[0].startswith(b"a\na\na\na\n")
    assert result.stderr[0].endswith(b"ValueError: a\n")


def test_paths_without_a_file_system(any_device: Device) -> None:
    program = "import os\n"
    for call in (
        "open('x.txt')",
        "open('/no/such', 'rb')",
        "open(file='a b', mode='r')",
        "os.stat('x')",
        "os.remove('x')",
        "os.listdir('x')",
        "os.rmdir('x')",
        "os.chdir('x')",
    ):
        program += f"""
try:
    {call}
except OSError as e:
    print(e, repr(e), e.args, e.errno, repr(e.filename), e.strerror, type(e) is FileNotFoundError)
"""
    assert_alike(any_device, program)
