"""Programs that attack the host, their parent or the results end, and reach nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from porter.base.untrusted import Repr, Unreadable
from porter.evaluation.cases import encode
from porter.fallback import Fallback, Job, layers_of, outcomes, pool

from .conftest import OPTIONS, Run

# A module that reaches `ctypes` without an import, as a hostile program can.
GADGET = (
    "import gc\ndef module(name):\n"
    " for one in gc.get_objects() + list(__import__('sys').modules.values()):\n"
    "  if type(one).__name__ == 'module' and one.__name__ == name: return one\n"
    " raise RuntimeError(name)\n"
)
# By description: a program, and the kinds of outcome that it may have.
HOSTILE: dict[str, tuple[str, set[str]]] = {
    "forks": ("import os\ndef solve():\n while True: os.fork()", {"raised"}),
    "reads a file": ("def solve(): return open('/etc/passwd').read()", {"raised"}),
    "reads a file by its descriptor": (
        "import os\ndef solve(): return os.open('/etc/passwd', os.O_RDONLY)",
        {"raised"},
    ),
    "writes a file": ("def solve(): open('/tmp/porter-was-here', 'w').write('x')", {"raised"}),
    "writes here": ("def solve(): open('porter-was-here', 'w').write('x')", {"raised"}),
    "lists files": ("import os\ndef solve(): return os.listdir('/')", {"raised"}),
    "makes a folder": ("import os\ndef solve(): os.mkdir('/tmp/porter-was-here')", {"raised"}),
    "asks for a file": ("import os\ndef solve(): return os.stat('/etc/passwd')", {"raised"}),
    "opens a socket": (
        "import asyncio\ndef solve():\n return asyncio.base_events.socket.socket()",
        {"raised"},
    ),
    "makes datagram sockets": (
        "import asyncio\ndef solve():\n s = asyncio.base_events.socket\n"
        " return s.socketpair(s.AF_UNIX, s.SOCK_DGRAM)",
        {"raised"},
    ),
    "imports a socket": ("import socket\ndef solve(): return 1", {"refused"}),
    "imports ctypes": ("import ctypes\ndef solve(): return 1", {"refused"}),
    "executes": ("import os\ndef solve(): os.execv('/bin/sh', ['sh'])", {"raised"}),
    "starts a process": (
        "import asyncio\ndef solve(): asyncio.base_events.subprocess.run(['true'])",
        {"raised"},
    ),
    "spawns": ("import os\ndef solve(): os.posix_spawn('/bin/true', ['true'], {})", {"raised"}),
    "kills its parent": ("import os\ndef solve(): os.kill(os.getppid(), 9)", {"raised"}),
    "kills all": ("import os\ndef solve(): os.kill(-1, 9)", {"raised"}),
    "has the kernel send signals": (
        GADGET + "import os, signal\ndef solve():\n m = module('fcntl')\n r, w = os.pipe()\n"
        " m.fcntl(r, m.F_SETOWN, os.getppid())",
        {"raised"},
    ),
    "calls the system": (
        GADGET + "def solve():\n c = module('ctypes').CDLL(None, use_errno=True)\n"
        " found = [c.syscall(n, 0, 0, 0, 0, 0, 0) for n in\n"
        "  (57, 58, 59, 62, 101, 41, 42, 257, 2, 272, 165, 157, 321, 425, 310, 311, 319, 434)]\n"
        " return found",
        {"returned"},
    ),
    "leaves": ("import os\ndef solve(): os._exit(0)", {"left"}),
    "never ends": ("def solve():\n while True: pass", {"late"}),
    "sleeps": ("import time\ndef solve(): time.sleep(10**6)", {"late"}),
    "ignores signals": (
        "import signal, time\nfor s in range(1, 65):\n try: signal.signal(s, signal.SIG_IGN)\n"
        " except (OSError, ValueError): pass\ndef solve():\n while True: time.sleep(1)",
        {"late"},
    ),
    "catches everything": (
        "def solve():\n while True:\n  try:\n   while True: pass\n  except BaseException: pass",
        {"late"},
    ),
    "starts threads that never end": (
        "import threading\ndef f():\n while True: pass\n"
        "for _ in range(8): threading.Thread(target=f).start()",
        {"late"},
    ),
    "starts threads without end": (
        "import threading, time\ndef solve():\n"
        " while True: threading.Thread(target=time.sleep, args=(99,), daemon=True).start()",
        {"raised", "exhausted", "late"},
    ),
    "takes all memory": (
        "def solve():\n a = []\n while True: a.append(bytes(1 << 24))",
        {"exhausted"},
    ),
    "takes memory at once": ("def solve(): return [0] * (1 << 40)", {"exhausted"}),
    "recurses": ("def solve(): return solve()", {"exhausted"}),
    "prints without end": ("def solve():\n while True: print('x' * 65536)", {"flooded"}),
    "closes its descriptors": ("import os\nos.closerange(0, 999)\ndef solve(): return 1", {"left"}),
    "writes into the results": (
        "import os\nfor d in range(2, 64):\n try: os.write(d, b'\\xff' * 99)\n"
        " except OSError: pass\ndef solve(): return 1",
        {"malformed"},
    ),
    "announces too much": (
        "import os\nfor d in range(3, 64):\n try: os.write(d, (1 << 62).to_bytes(8, 'little'))\n"
        " except OSError: pass\nwhile True: pass",
        {"malformed"},
    ),
    "announces more than it writes": (
        "import os\nfor d in range(3, 64):\n"
        " try: os.write(d, (1000).to_bytes(8, 'little') + b'(')\n"
        " except OSError: pass\nos._exit(0)",
        {"left"},
    ),
    "floods the results": (
        "import os\nwhile True:\n for d in range(3, 64):\n"
        "  try: os.write(d, b'\\x01' + bytes(7) + b'N')\n  except OSError: pass",
        {"malformed"},
    ),
    "duplicates the results": (
        "import os\nfor d in range(3, 30):\n try: os.dup2(d, d + 30)\n except OSError: pass\n"
        "def solve(): return 1",
        {"returned"},
    ),
    "returns much": ("def solve(): return 'x' * (64 << 20)", {"unreadable"}),
    "returns a deep list": (
        "def solve():\n a = []\n for _ in range(10**5): a = [a]\n return a",
        {"unreadable"},
    ),
    "returns itself": ("def solve():\n a = []\n a.append(a)\n return a", {"unreadable"}),
    "has a repr that never ends": (
        "class A:\n def __repr__(self):\n  while True: pass\ndef solve(): return A()",
        {"late"},
    ),
    "has a repr that exits": (
        "import os\nclass A:\n def __repr__(self): os._exit(0)\ndef solve(): return A()",
        {"left"},
    ),
    "traces": (
        "import sys\ndef t(*a):\n raise SystemExit(7)\ndef solve():\n sys.settrace(t)\n return 1",
        {"returned", "exited"},
    ),
    "replaces builtins": (
        "import builtins\nfor n in ('len', 'list', 'dict', 'type', 'isinstance', 'callable'):\n"
        " setattr(builtins, n, lambda *a, **k: True)\ndef solve(): return 1",
        {"returned", "unreadable", "raised", "left", "died"},
    ),
    "replaces modules": (
        "import marshal, os, struct, sys\nmarshal.dumps = os.write = None\n"
        "os._exit = struct.pack = None\n"
        "sys.modules.clear()\ndef solve(): return 1",
        {"returned", "raised", "left", "died"},
    ),
    "reads stdin without end": ("import sys\ndef solve(): return sys.stdin.read()", {"returned"}),
    "crashes": (
        GADGET + "def solve(): module('ctypes').string_at(0)",
        {"died"},
    ),
    "raises limits": (
        "import resource\ndef solve(): resource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40))",
        {"raised"},
    ),
    "raises itself": ("class A(BaseException): pass\ndef solve(): raise A", {"raised"}),
    "raises what has no text": (
        "class A(Exception):\n def __str__(self): raise A\ndef solve(): raise A",
        {"raised"},
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_programs(run: Run, name: str) -> None:
    source, kinds = HOSTILE[name]
    entry = "" if "def solve" not in source else "solve"
    begin = time.monotonic()
    found = run(source, entry=entry, deadline=1.5 if "late" in kinds else 20.0)
    assert found.kind in kinds, found
    assert time.monotonic() - begin < 15
    assert not Path("/tmp/porter-was-here").exists() and not Path("porter-was-here").exists()
    if name == "calls the system":
        assert set(found.value) == {-1}
    if name == "reads stdin without end":
        assert found.value == ""
    assert run("def solve(x): return x", 5).value == 5  # the zygote still serves


def test_values_have_no_methods_of_the_program(run: Run) -> None:
    found = run(
        "class E:\n def __eq__(self, o): return True\n __class__ = int\n"
        " def __reduce__(self): return (print, ('x',))\n"
        "class L(list):\n def __eq__(self, o): return True\n def __iter__(self): return iter([9])\n"
        "class I(int):\n def __int__(self): return 9\n def __index__(self): return 9\n"
        "def solve(): return [E(), L([1]), I(2), (1).__class__, float('nan')]"
    )
    assert found.kind == "returned"
    first, second, third, fourth, last = found.value
    assert type(first) is Repr and second == [1] and type(second) is list
    assert third == 2 and type(third) is int and type(fourth) is Repr and last != last


def test_values(run: Run) -> None:
    source = (
        "import array, collections\ndef solve(x): return [x, array.array('d', [1.5]),"
        " collections.Counter('ab'), collections.namedtuple('P', 'a b')(1, 2), bytearray(b'a'),"
        " -2**70, 1j, {frozenset({1}): ...}, collections.deque([1]), '\\ud800', range(3)]"
    )
    value = run(source, {"a": (bytearray(b"b"), None)}).value
    assert value[0] == {"a": (bytearray(b"b"), None)} and list(value[1]) == [1.5]
    assert value[2:8] == [{"a": 1, "b": 1}, (1, 2), bytearray(b"a"), -(2**70), 1j,
                          {frozenset({1}): ...}]  # fmt: skip
    assert type(value[8]) is Repr and value[9] == "\ud800" and type(value[10]) is Repr


def test_outputs_are_cut_and_counted(run: Run) -> None:
    found = run("def solve():\n print('y' * 10**6)\n return 1", stdout=100)
    assert found.kind == "returned" and found.output == b"y" * 100 and found.printed == 10**6 + 1


# Code of a program, and the stderr that it has then.
STDERR = {
    "sys.stderr.write('e')": "e",
    "os.write(2, b'\\xff')": "\xff",
    "sys.exit('why')": "why\n",
    "sys.stderr.write('e')\nos._exit(0)": "",  # CPython does not write an incomplete line either
    "print('e', file=sys.stderr)\nos._exit(0)": "e\n",
    "os.close(2)": "",
    "sys.stderr = None": "",
    "sys.stderr.write('y' * 10**6)": "y" * 100,
    "while True: sys.stderr.write('y' * 4096)": "y" * 100,
}


@pytest.mark.parametrize("code", STDERR)
@pytest.mark.parametrize("entry", ["solve", ""])
def test_stderr_is_kept(run: Run, code: str, entry: str) -> None:
    lines = code.replace("\n", "\n ")
    source = f"import os, sys\ndef solve():\n {lines}\n" + ("" if entry else "solve()")
    found = run(source, entry=entry, stderr=100, deadline=2.0)
    assert found.stderr.decode("latin-1") == STDERR[code] and found.output == b""


def test_stderr_of_each_call(run: Run) -> None:
    source = b"import sys\ndef solve(x):\n print(x, end='', file=sys.stderr)\n return x"
    arguments = tuple(encode(((x,), {}), "") for x in range(20))
    (found,) = outcomes(OPTIONS, [Job(source, "solve", arguments, stderr=8)])
    assert [one.stderr for one in found] == [str(x).encode() for x in range(20)]


def test_a_process_sees_no_data_of_another() -> None:
    secret = "".join(map(chr, range(0x2460, 0x2480)))
    job = Job(f"s = '{secret}'\ndef solve(): return 1".encode(), "solve", (encode(((), {}), ""),))
    spy = (
        "import gc\ndef solve():\n n = [chr(0x2460 + k) for k in range(32)]\n w = ''.join(n)\n"
        " return [str(o)[:90] for o in gc.get_objects() if type(o) is dict and w in str(o)]"
    )
    again = Job(spy.encode(), "solve", (encode(((), {}), ""),))
    found = outcomes(Fallback(processes=1), [job, again])
    assert found[0][0].value == 1 and found[1][0].value == []


def test_the_layers() -> None:
    layers = layers_of(OPTIONS)
    assert pool.FILTER in layers and "unprivileged user" in layers


def test_many_jobs_keep_their_order(run: Run) -> None:
    counts = [k % 3 for k in range(60)]
    calls = [
        tuple(encode(((k, c), {}), "") for c in range(count)) for k, count in enumerate(counts)
    ]
    jobs = [Job(b"def solve(*x): return x", "solve", one) for one in calls]
    found = outcomes(OPTIONS, jobs)
    assert [[one.value for one in row] for row in found] == [
        [(k, c) for c in range(k % 3)] for k in range(60)
    ]


def test_calls_after_one_that_is_late(run: Run) -> None:
    source = b"n = 0\ndef solve(x):\n global n\n n += 1\n while x == 1: pass\n return n"
    arguments = tuple(encode(((x,), {}), "") for x in (0, 0, 1, 0, 0))
    (found,) = outcomes(OPTIONS, [Job(source, "solve", arguments, deadline=1.0)])
    assert [one.value if one.kind == "returned" else one.kind for one in found] == [
        1, 2, "late", 1, 2
    ]  # fmt: skip


def test_more_frames_than_permits() -> None:
    frame = "import os\nfor d in range(3, 64):\n try: os.write(d, F)\n except OSError: pass\n"
    source = "F = b'\\x05\\0\\0\\0\\0\\0\\0\\0(\\0\\0\\0\\0' * 4000\n" + "while True:\n "
    source += frame.replace("\n", "\n ")
    calls = (encode(((), {}), ""),) * 70_000
    (found,) = outcomes(OPTIONS, [Job(source.encode(), "solve", calls, deadline=30.0)])
    assert len(found) == 70_000 and {one.kind for one in found} == {"malformed"}


def test_a_request_to_stop_ends_processes() -> None:
    job = Job(b"while True: pass", "", (b"",), deadline=60.0)
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        outcomes(OPTIONS, [job] * 5, lambda: time.monotonic() - begin > 0.3)
    assert time.monotonic() - begin < 5


CHILD = """
import os, sys, time
from porter.fallback import Fallback, Job, outcomes
from porter.fallback.pool import pool_of
options = Fallback(processes=1)
zygote = pool_of(options).take(wait=True)
pool_of(options).give(zygote)
print(zygote._process.pid, flush=True)
outcomes(options, [Job(b"while True: pass", "", (b"",), deadline=60.0)])
"""


def test_processes_end_with_their_host() -> None:
    with subprocess.Popen([sys.executable, "-c", CHILD], stdout=subprocess.PIPE) as host:
        assert host.stdout is not None
        zygote = int(host.stdout.readline())
        time.sleep(0.3)
        group = subprocess.run(
            ["ps", "-o", "pid=", "--sid", str(zygote)], capture_output=True, text=True, check=False
        )
        assert len(group.stdout.split()) >= 2
        host.kill()
    for _ in range(100):
        if not any(Path(f"/proc/{one}").exists() and _state(one) != "Z"
                   for one in group.stdout.split()):  # fmt: skip
            break
        time.sleep(0.1)
    else:
        pytest.fail("processes remain")


def _state(process: str) -> str:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")")[1].split()[0]
    except OSError:
        return "Z"


def test_a_zygote_that_dies_is_replaced() -> None:
    shared = pool.pool_of(OPTIONS)
    zygote = shared.take(wait=True)
    assert zygote is not None
    zygote._process.kill()
    zygote._process.wait()
    shared.give(zygote)
    jobs = [Job(b"def solve(): return 1", "solve", (encode(((), {}), ""),))] * 4
    assert [row[0].value for row in outcomes(OPTIONS, jobs)] == [1] * 4


def test_a_forked_host_has_zygotes_of_its_own() -> None:
    job = Job(b"def solve(): return 1", "solve", (encode(((), {}), ""),))
    assert outcomes(OPTIONS, [job])[0][0].value == 1
    child = os.fork()
    if child == 0:
        good = outcomes(OPTIONS, [job])[0][0].value == 1
        pool.close_all()
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert outcomes(OPTIONS, [job])[0][0].value == 1


def test_unreadable_values_have_a_reason(run: Run) -> None:
    found = run("def solve():\n a = []\n a.append(a)\n return a")
    assert isinstance(found.value, Unreadable) and "deep" in found.reason
