"""In a sandbox a program can access no address, and code from outside is verified."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from porter import InterpreterArray
from porter.errors import WrongType
from porter.fs import Image
from porter.run import Device, Launch, Program, run

if TYPE_CHECKING:
    from porter.pipeline import Build

REFUSED = "PermissionError(1, 'not in a sandbox')"
IMPORTS = "import array, io, marshal, os, struct, uctypes\n"
# Each of these reads, writes or makes an object at an address chosen by the program.
ATTACKS = {
    "bytes at": "uctypes.bytes_at(uctypes.addressof(B), 8)",
    "bytearray at": "uctypes.bytearray_at(uctypes.addressof(B), 8)",
    "null": "uctypes.bytes_at(0, 8)",
    "struct": "uctypes.struct(uctypes.addressof(B), {'a': uctypes.UINT64 | 0})",
    "struct of a buffer": "uctypes.struct(uctypes.addressof(B), {'a': uctypes.UINT64 | 0})",
    "struct behind a buffer": "uctypes.struct(uctypes.addressof(B) + 64, {'a': 0})",
    "object out of an array": "array.array('O', bytes(8))[0]",
    "object read into an array": "(io.BytesIO(bytes(8)).readinto(A), A[0])",
    "object of memory": "memoryview(A)[0]",
    "objects of an array": "list(A)",
}
ALLOWED = {
    "objects": "sorted([3, 1, 2]) == [1, 2, 3]",
    "an address as a number": "uctypes.addressof(B) == uctypes.addressof(B)",
    "layout": "uctypes.sizeof({'a': uctypes.UINT64 | 0}) == 8",
    "structs": "struct.unpack('<Qd', struct.pack('<Qd', 1 << 63, 0.5)) == (1 << 63, 0.5)",
    "arrays": "list(array.array('q', [1, -2])) == [1, -2]",
    "buffers": "bytes(memoryview(B)[1:3]) == bytes(2)",
    "seek": "(lambda f: (f.seek(2), f.read()))(io.StringIO('text')) == (2, 'xt')",
    "compile": "eval(compile('1 + 1', 'f', 'eval')) == 2",
    "exec": "exec('def f(): return 3\\nassert f() == 3') is None",
    "marshalled code": "eval(marshal.loads(marshal.dumps(compile('1 + 1', 'f', 'eval')))) == 2",
    "big integers": "(1 << 200) % 1000007 > 0",
    "formats": "'%d %s %r %x' % (1, 'a', 'b', 255) == \"1 a 'b' ff\"",
    "hashes": "hash('a') == hash('a') and id(B) == id(B)",
}
SETUP = IMPORTS + "X = 'secret'\nB = bytearray(16)\nA = array.array('O', [X])\n"
TRYING = SETUP + "try:\n    {}\n    print('done')\nexcept OSError as e:\n    print(repr(e))\n"


def outputs(device: Device, programs: list[str], **options: Any) -> list[str]:
    """Return the output of each program in a separate interpreter."""
    which = np.arange(len(programs), dtype=np.uint32)
    sources = [Program(text.encode(), "<test>") for text in programs]
    launch = Launch(stdout=512, merge_stderr=True, **options)
    result = run(device, sources, len(programs), launch, program_of=which)
    return [result.stdout[i].decode().strip() for i in range(len(programs))]


def test_attacks_are_refused_and_neighbours_run_on(any_device: Device) -> None:
    programs = [TRYING.format(text) for text in ATTACKS.values()]
    paired = [text for program in programs for text in (program, "print(sum(range(100)))")]
    printed = outputs(any_device, paired, sandbox=True)
    assert dict(zip(ATTACKS, printed[::2], strict=True)) == dict.fromkeys(ATTACKS, REFUSED)
    assert set(printed[1::2]) == {"4950"}


def test_all_else_is_as_ever(any_device: Device) -> None:
    programs = [f"{SETUP}print({text})" for text in ALLOWED.values()]
    for sandbox in (True, False):
        printed = outputs(any_device, programs, sandbox=sandbox)
        assert dict(zip(ALLOWED, printed, strict=True)) == dict.fromkeys(ALLOWED, "True")


def test_without_a_sandbox_nothing_is_refused(any_device: Device) -> None:
    fine = ["bytes at", "struct of a buffer", "object of memory"]
    programs = [TRYING.format(ATTACKS[name]) for name in fine]
    assert outputs(any_device, programs) == ["done"] * len(fine)


FILES = """
import os, sys
with open("good.py", "w") as f: f.write("answer = 42")
with open("bad.mpy", "wb") as f: f.write(b"M\\x06\\x00\\x1f" + bytes(40))
os.mkdir("/d")
import good
print(good.answer)
try:
    import bad
except ValueError as e:
    print(repr(e))
"""


def test_modules_of_bytecode_are_verified(any_device: Device) -> None:
    with InterpreterArray(
        2, device=any_device, sandbox=True, fs=Image.empty(64 << 10), stdout=512
    ) as array:
        printed = array.exec(FILES).stdout
        refused = "ValueError('incompatible .mpy file')"
        assert {printed[i].decode() for i in range(2)} == {f"42\n{refused}\n"}


def test_a_sandboxed_array_lives_on_and_shares_code(any_device: Device) -> None:
    with InterpreterArray(3, device=any_device, sandbox=True) as array:
        array.exec("import uctypes\nx = threadIdx")
        code = array.compile("x + 1", kind="eval")
        assert list(array.eval(code)) == [1, 2, 3]
        outcome = array.exec("uctypes.bytes_at(0, 8)", check=False)
        assert outcome.failed.all() and len(outcome.exceptions) == 1
        assert list(array.eval("x")) == [0, 1, 2]


@pytest.mark.parametrize("fork", [None, True, False])
def test_copies_of_one_interpreter_are_in_the_sandbox_too(
    any_device: Device, fork: bool | None
) -> None:
    program = Program(TRYING.format("uctypes.bytes_at(0, 8)").encode(), "<test>")
    result = run(any_device, [program], 40, Launch(sandbox=True, fork=fork, stdout=256))
    assert {result.stdout[i].decode() for i in range(40)} == {REFUSED + "\n"}


def test_the_option_is_a_bool(any_device: Device) -> None:
    with pytest.raises(WrongType, match="sandbox"):
        InterpreterArray(1, device=any_device, sandbox=np.zeros(2))  # type: ignore[arg-type]


def test_upstream_s_loader_itself_stays_refused(built: Build) -> None:
    # The port calls it for verified code. A build without the patch, or a release that calls it
    # from elsewhere, refuses code as a whole.
    text = (built.folder.parent / "cxx" / "py_persistentcode.cpp").read_text()
    body = text[text.rindex("void mp_raw_code_load(mp_reader_t") :]
    assert "porter_sandboxed()" in body[: body.index("header[4]")]


WEAK = """
import gc
try:
    import weakref
except ImportError:
    print("no weakref")
    raise SystemExit
class Held:
    def __del__(self): log.append("del")
log = []
def kept():
    a = Held()
    r = weakref.ref(a)
    many = [weakref.ref(a, log.append) for _ in range(5)]
    f = weakref.finalize(a, log.append, "f")
    print(r() is a, f.alive, f.peek()[0] is a, f.detach()[0] is a, f.alive)
    many = None
    gc.collect()
    print(r() is a)
    for _ in range(20):
        b = Held()
        s = weakref.ref(b)
        t = weakref.finalize(b, log.append, "t")
        s.__del__()
        b = s = t = None
        gc.collect()
        bytes(1000)
kept()
print({str(x) for x in log} <= {"del", "t"})
try:
    weakref.ref.__del__(1 << 40)
except TypeError:
    print("refused")
"""


@pytest.mark.parametrize("sandbox", [False, True])
def test_weak_references(any_device: Device, sandbox: bool) -> None:
    """The pointers that weakref hides as small integers are C's own; finalizers are not refused."""
    (printed,) = outputs(any_device, [WEAK], sandbox=sandbox)
    assert printed in (
        "True True True True False\nTrue\nTrue\nrefused",
        "no weakref",  # before 1.28
    )
