"""The zygote of the CPython fallback: a process that forks a restricted process for each program.

`pool` starts this file with a CPython of its own (`python -S -P`), and no module of porter is
importable here. The zygote imports the permitted modules, enters namespaces, and drops its
privileges. For each job it then receives descriptors: the job, stdin, stdout, the pipe of results,
and for several calls a pipe that permits the next one. It forks, and never reads a job or a result
itself, so that no program sees data of another one. The forked process applies limits and the
filter of system calls, reads its job, runs the program and writes frames (`outcomes` decodes them).

Invariant F1: the zygote runs no code of a program.
Invariant F2: a forked process reads its job after the filter is installed.
"""

from __future__ import annotations

import array
import atexit
import builtins
import ctypes
import dis
import gc
import importlib
import io
import marshal
import os
import pkgutil
import random
import resource
import select
import signal
import socket
import struct
import sys
import tempfile
import threading
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NoReturn

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_SECCOMP_MODE_FILTER = 2
_NEW_NS, _NEW_UTS, _NEW_IPC, _NEW_USER, _NEW_PID, _NEW_NET = (
    0x20000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
)  # fmt: skip
_NAMESPACES = _NEW_NS | _NEW_UTS | _NEW_IPC | _NEW_PID | _NEW_NET
_NOBODY = 65534
_STACK = 64 << 20  # bytes of the main thread's C stack
_DESCRIPTORS = 64
_REFUSED = 99  # exit code of a process whose filter cannot be installed
NAME = "<program>"
MAX_VALUE = 4 << 20  # bytes of an encoded value
_MAX_DEPTH = 1000  # nested containers of a value
_MAX_MESSAGE = 500  # characters of an exception's message
_MAX_FRAMES = 10  # entries at each end of a traceback
_ENCODING_RECURSION = 20_000  # limit of recursion while a value is encoded
_TYPECODES = "bBhHiIlLqQfd"
_libc = ctypes.CDLL(None, use_errno=True)


# ---- the zygote ----


def main(descriptor: int) -> None:
    """Serve jobs until the other end of the control socket is closed."""
    control = socket.socket(fileno=descriptor)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    setup: Mapping[str, Any] = marshal.loads(_received(control))
    sys.path += setup["path"]
    missing = _load([*setup["modules"], *_submodules("encodings")])
    for name in setup["extra"]:
        missing += _load([name])
        _load(_submodules(name, packages=True))
    builtins.exit, builtins.quit = _quitters()
    sys.path.clear()
    sys.argv[:] = [NAME]
    permitted = {name for name in sys.modules if name.partition(".")[0] in setup["permitted"]}
    # C code of the standard library imports some of these.
    permitted |= {*setup["modules"], *setup["extra"]}
    layers = _isolate(control, setup["namespaces"])
    _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    if _filter_holds(setup["filter"]):
        layers.append("system call filter")
    setup = {**setup, "allowed": frozenset(permitted)}
    gc.collect()
    gc.freeze()
    control.send(marshal.dumps((layers, missing), 2))
    zygote = os.getpid()
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 64, 6)
        if not message:
            os._exit(0)
        if message[:1] != b"R":
            continue  # a request to end a process that has ended
        child = os.fork()
        if child == 0:
            _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            try:
                if os.getppid() == zygote:
                    _run_job(descriptors, struct.unpack("<I", message[1:5])[0], setup)
            finally:
                os._exit(_REFUSED)
        for one in descriptors:
            os.close(one)
        control.send(b"S" + struct.pack("<i", _wait(child, control)))


def _received(control: socket.socket) -> bytes:
    size = struct.unpack("<I", control.recv(4))[0]
    data = b""
    while len(data) < size:
        data += control.recv(1 << 16)
    return data


def _load(names: list[str]) -> list[str]:
    """Import modules, and return the names of the modules that cannot be imported."""
    missing = []
    for name in names:
        try:
            importlib.import_module(name)
        except BaseException:  # a module may call sys.exit
            missing.append(name)
    return missing


def _submodules(name: str, packages: bool = False) -> list[str]:
    """Return the public submodules of a package that is loaded; with `packages` packages alone.

    Packages such as numpy import some of them when a program first uses them. A process of a
    program cannot open files, so it could not.
    """
    paths = getattr(sys.modules.get(name), "__path__", ())
    return [
        f"{name}.{one.name}"
        for one in pkgutil.iter_modules(paths)
        if (one.ispkg or not packages) and one.name[0] != "_" and one.name != "tests"
    ]


def _quitters() -> tuple[Any, Any]:
    from _sitebuiltins import Quitter

    return Quitter("exit", "Ctrl-D"), Quitter("quit", "Ctrl-D")


def _isolate(control: socket.socket, namespaces: bool) -> list[str]:
    """Enter namespaces, an empty root and another user, and return the layers that are active.

    With a namespace of processes, the function returns in a process that is its first one. All
    processes of the namespace end with it.
    """
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o755)
    os.chdir(folder)
    os.rmdir(folder)  # nothing can be created in a removed folder
    layers = ["resource limits"]
    root = os.geteuid() == 0
    entered = namespaces and root and _libc.unshare(_NAMESPACES) == 0
    if root and not entered:
        _become_nobody()
    if namespaces and not entered:
        uid, gid = os.geteuid(), os.getegid()
        entered = _libc.unshare(_NAMESPACES | _NEW_USER) == 0
        if entered:
            _write("/proc/self/setgroups", "deny")
            _write("/proc/self/uid_map", f"{uid} {uid} 1")
            _write("/proc/self/gid_map", f"{gid} {gid} 1")
            layers.append("user namespace")
    if entered:
        layers += ["network namespace", "mount namespace", "process namespace"]
        if _libc.chroot(b".") == 0:
            layers.append("empty root folder")
        child = os.fork()
        if child:
            control.close()
            os.waitpid(child, 0)
            os._exit(0)
    if os.geteuid() == 0:
        _become_nobody()
    layers.append("unprivileged user")
    _drop_capabilities()
    if entered:  # a change of the user resets it
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    return layers


def _become_nobody() -> None:
    os.setgroups([])
    os.setresgid(_NOBODY, _NOBODY, _NOBODY)
    os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    _libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)  # else /proc/self belongs to root


def _write(path: str, text: str) -> None:
    # If it fails, the namespace has the overflow user only.
    with suppress(OSError), open(path, "w") as file:
        file.write(text)


def _drop_capabilities() -> None:
    version = struct.pack("<Ii", 0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3, this process
    _libc.capset(ctypes.create_string_buffer(version), ctypes.create_string_buffer(24))


def _install(program: bytes) -> bool:
    """Install a filter of system calls in this process; return whether the kernel accepts it."""
    code = ctypes.create_string_buffer(program, len(program))
    whole = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(code))
    done = _libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.c_char_p(whole), 0, 0)
    return bool(program) and done == 0


def _filter_holds(program: bytes) -> bool:
    """Return whether a process with the filter can open no file, socket or process."""
    child = os.fork()
    if child == 0:
        refused = 0
        if _install(program):
            for attempt in (lambda: os.open("/", os.O_RDONLY), _open_socket, _fork_again):
                try:
                    attempt()
                except OSError:
                    refused += 1
        os._exit(0 if refused == 3 else 1)
    return os.waitpid(child, 0)[1] == 0


def _open_socket() -> None:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()


def _fork_again() -> None:
    if os.fork() == 0:
        os._exit(0)


def _wait(child: int, control: socket.socket) -> int:
    """Wait for a process, and return its wait status. The other end can ask to end it."""
    handle = os.pidfd_open(child)
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    poll.register(control, select.POLLIN)
    try:
        while True:
            ready = dict(poll.poll())
            if control.fileno() in ready:
                message = control.recv(64)
                os.kill(child, signal.SIGKILL)
                if not message:
                    os._exit(0)
                poll.unregister(control)
            elif handle in ready:
                return os.waitpid(child, 0)[1]
    finally:
        os.close(handle)


# ---- the process of a program ----


def _run_job(descriptors: list[int], cpu: int, setup: Mapping[str, Any]) -> NoReturn:
    """Restrict this process, read the job, and run it."""
    job, given, printed, errors, results, *permits = descriptors
    for number, one in enumerate((given, printed, errors)):
        os.dup2(one, number)
    kept = sorted({0, 1, 2, job, results, *permits})
    for low, high in zip(kept, [*kept[1:], 1 << 16], strict=True):
        os.closerange(low + 1, high)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    memory = setup["memory"]
    for limit, soft, hard in (
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_MEMLOCK, 0, 0),
        (resource.RLIMIT_CPU, cpu, cpu + 1),
        (resource.RLIMIT_NOFILE, _DESCRIPTORS, _DESCRIPTORS),
        (resource.RLIMIT_STACK, _STACK, resource.RLIM_INFINITY),
        (resource.RLIMIT_AS, memory, memory),
    ):
        most = resource.getrlimit(limit)[1]
        if most != resource.RLIM_INFINITY:
            hard = most if hard == resource.RLIM_INFINITY else min(hard, most)
            soft = min(soft, most)
        resource.setrlimit(limit, (soft, hard))
    if not _install(setup["filter"]):
        os._exit(_REFUSED)
    data = b""
    while part := os.read(job, 1 << 20):
        data += part
    os.close(job)
    source, entry, arguments, seed = marshal.loads(data)
    _RestrictedProgram(source, results, setup["allowed"], seed).run(entry, arguments, permits)
    os._exit(0)


class _RestrictedProgram:
    """A program, in the process that runs it."""

    def __init__(self, source: bytes, results: int, allowed: frozenset[str], seed: int) -> None:
        self.source, self.results, self.allowed = source, results, allowed
        self.module = types.ModuleType("__main__")
        self.names = self.module.__dict__
        self.names["__builtins__"] = builtins
        self.refused: list[BaseException] = []
        self.import_before = builtins.__import__
        # Functions that the program may replace in their modules.
        self.dumps, self.write, self.exit = marshal.dumps, os.write, os._exit
        self.frame = sys._getframe
        random.seed(seed)
        sys.modules["__main__"] = self.module
        self.names["__file__"] = NAME
        files: tuple[Any, ...] = (
            io.BufferedReader(io.FileIO(0)),
            io.BufferedWriter(io.FileIO(1, "w")),
            io.BufferedWriter(io.FileIO(2, "w")),
        )
        for file, name in zip(files, ("stdin", "stdout", "stderr"), strict=True):
            for_errors = name == "stderr"
            stream: Any = io.TextIOWrapper(
                file,
                "utf-8",
                "backslashreplace" if for_errors else "surrogateescape",
                newline="\n",
                line_buffering=for_errors,
            )
            stream.mode = "r" if name == "stdin" else "w"
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)
        self.streams = (sys.stdout, sys.stderr)

    def run(self, entry: str, arguments: list[bytes], permits: list[int]) -> None:
        """Run the program, and its calls; write a frame for each.

        Args:
            entry: The global function to call; empty: the program runs as a whole.
            arguments: Positional and named arguments of each call, marshalled (`cases.encode`).
            permits: A pipe that has a byte when the host has read the output of a call; empty for a
                single call.
        """
        read = os.read
        failed = self._attempt(self._load)
        if not entry:
            finished = self._attempt(_finish_threads)
            self._attempt(self._forget)
            self._send(failed or finished or ("ended",))
            return
        for number, encoded in enumerate(arguments):
            if number:
                read(permits[0], 1)
            frame = failed
            if frame is None:
                function = self.names.get(entry)
                if callable(function):
                    frame = self._attempt(lambda: self._call(entry, encoded))  # noqa: B023
                else:
                    frame = ("no_entry",)
            self._send(frame or ("returned", self.value))

    def _forget(self) -> None:
        """Delete the program's objects, as CPython does at its end: files are then flushed."""
        self.names.clear()
        gc.collect()

    def _load(self) -> None:
        try:
            code = compile(self.source, NAME, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            raise _NotCompiled(error) from None
        builtins.__import__ = self._import
        exec(code, self.names)

    def _call(self, entry: str, encoded: bytes) -> None:
        positional, named = _unwrapped(marshal.loads(encoded))
        value = self.names[entry](*positional, **named)
        sys.settrace(None)
        sys.setprofile(None)
        try:
            sys.setrecursionlimit(_ENCODING_RECURSION)
            data = self.dumps(_plain(value, 0), 2)
            reason = "" if len(data) <= MAX_VALUE else f"its encoding has {len(data)} bytes"
        except BaseException as error:
            reason = _summary(error)
        if reason:
            raise _NotEncoded(reason)
        self.value = data

    def _attempt(self, act: Callable[[], object]) -> tuple[Any, ...] | None:
        """Run code of the program; return the frame of its exception, or None."""
        limit = sys.getrecursionlimit()
        try:
            act()
            return None
        except _NotEncoded as error:
            sys.setrecursionlimit(limit)
            return ("unreadable", str(error))
        except _NotCompiled as error:
            return ("syntax", *_record(error.error))
        except SystemExit as error:
            return ("exited", _exit_code(error.code))
        except BaseException as error:
            sys.settrace(None)
            sys.setprofile(None)
            if any(error is one for one in self.refused):
                return ("refused", str(getattr(error, "name", "")))
            kind = "exhausted" if _is_exhausted(error) else "raised"
            return (kind, *_record(error))

    def _send(self, frame: tuple[Any, ...]) -> None:
        """Write a frame, after all output of the program."""
        for stream in (sys.stdout, sys.stderr, *self.streams):
            with suppress(BaseException):  # the program may have closed or replaced it
                stream.flush()
        data = self.dumps(frame, 2)
        data = struct.pack("<Q", len(data)) + data
        while data:
            data = data[self.write(self.results, data) :]

    def _import(
        self,
        name: str,
        globals: Any = None,
        locals: Any = None,
        fromlist: Any = (),
        level: int = 0,
    ) -> Any:
        """Refuse imports of the program that are not permitted; a courtesy, not a protection.

        Modules of the standard library import what they need.
        """
        caller = self.frame(1).f_globals if globals is None else globals
        own = caller is self.names and level == 0
        if own and isinstance(name, str) and self._is_refused(name):
            error = ImportError(f"the fallback does not permit the module {name}", name=name)
            self.refused.append(error)
            raise error
        return self.import_before(name, globals, locals, fromlist, level)

    def _is_refused(self, name: str) -> bool:
        package = name.partition(".")[0]
        return name not in self.allowed and package in sys.stdlib_module_names


class _NotCompiled(Exception):
    """CPython's compiler refused the program.

    Attributes:
        error: Its exception.
    """

    def __init__(self, error: BaseException) -> None:
        self.error = error


class _NotEncoded(BaseException):
    """A value cannot be encoded."""


def _finish_threads() -> None:
    """Wait for threads, and call functions of `atexit`, as CPython does at its end."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()


def _exit_code(code: object) -> int:
    """Return the code of a SystemExit, as interpreters do: the low 32 bits, with their sign.

    An object that is no number is printed to stderr, as CPython does.
    """
    if code is None:
        return 0
    if isinstance(code, int):
        number = int.__int__(code)
        return (number + 2**31) % 2**32 - 2**31 if -(2**63) < number < 2**63 else -1
    with suppress(BaseException):
        print(code, file=sys.stderr)
    return 1


def _is_exhausted(error: BaseException) -> bool:
    """Return whether memory or the stack was exhausted, rather than the exception raised by code.

    The innermost frame of a traceback stands at a `raise` statement if code raised it.
    """
    if not isinstance(error, MemoryError | RecursionError):
        return False
    if type(error) not in (MemoryError, RecursionError):
        return False
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or trace.tb_lasti < 0:
        return True
    return dis.opname[trace.tb_frame.f_code.co_code[trace.tb_lasti]] != "RAISE_VARARGS"


def _record(error: BaseException) -> tuple[Any, ...]:
    """Return type, base, message, length of the message in bytes, frames, and omitted frames."""
    kind = type(error)
    base = next((one for one in kind.__mro__ if one.__module__ == "builtins"), Exception)
    try:
        message = str.__str__(str(error))
    except BaseException:
        message = "<exception str() failed>"
    frames = list(_frames(error))
    omitted = max(0, len(frames) - 2 * _MAX_FRAMES)
    if omitted:
        frames = frames[:_MAX_FRAMES] + frames[-_MAX_FRAMES:]
    size = len(message.encode("utf-8", "surrogatepass"))
    name = _name(kind)
    return name, _name(base), message[:_MAX_MESSAGE], min(size, 2**31 - 1), frames, omitted


def _name(kind: type) -> str:
    name: str = type.__dict__["__name__"].__get__(kind)
    return name[:100]


def _frames(error: BaseException) -> Iterator[tuple[str, int, str]]:
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename != __file__:
            line = trace.tb_lineno or 0
            yield code.co_filename[-200:], max(0, min(line, 2**31 - 1)), code.co_name[:100]
        trace = trace.tb_next


def _summary(error: BaseException) -> str:
    name, _, message, *_ = _record(error)
    return f"{name}: {message}" if message else str(name)


# ---- values ----


def _unwrapped(value: Any) -> Any:
    """Return the arguments that `cases.encode` wrapped, with arrays and bytearrays."""
    kind = type(value)
    if kind is tuple and value and value[0] is StopIteration:
        if len(value) == 2:
            return bytearray(value[1])
        return array.array(value[1], value[2])
    if kind in (tuple, list, set, frozenset):
        return kind(map(_unwrapped, value))
    if kind is dict:
        return {_unwrapped(key): _unwrapped(item) for key, item in value.items()}
    return value


_ATOMS = frozenset({type(None), type(...), bool, int, float, complex, str, bytes})
# An object of a class that derives from one of these is encoded as the native value that it has,
# as interpreters do (gpusnek_native_part in templates/port/marshal.c).
_NATIVE: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (dict, lambda value: dict(dict.items(value))),
    (tuple, lambda value: tuple(tuple.__iter__(value))),
    (list, lambda value: list(list.__iter__(value))),
    (set, lambda value: set(set.__iter__(value))),
    (frozenset, lambda value: frozenset(frozenset.__iter__(value))),
    (str, str.__str__),
    (bytes, lambda value: bytes.join(b"", [memoryview(value)])),
    (int, int.__int__),
)
_repr, _bytes = repr, bytes


def _plain(value: Any, depth: int) -> Any:
    """Return a value that `marshal` encodes; an object of another type becomes its `repr`.

    No method of a program's class is called, except `__repr__` of such an object, and `__hash__`
    of elements that remain in sets.
    """
    kind = type(value)
    if kind in _ATOMS:
        return value
    if depth == _MAX_DEPTH:
        raise ValueError(f"nested more than {_MAX_DEPTH} deep")
    if kind is list:
        return [_plain(item, depth + 1) for item in list.__iter__(value)]
    if kind is tuple:
        return tuple([_plain(item, depth + 1) for item in tuple.__iter__(value)])
    if kind is dict:
        pairs = list(dict.items(value))
        return {_plain(a, depth + 1): _plain(b, depth + 1) for a, b in pairs}
    if kind in (set, frozenset):
        items = [_plain(item, depth + 1) for item in kind.__iter__(value)]
        return kind(items)
    if kind is bytearray:
        return (StopIteration, _bytes(value))
    if kind is array.array and value.typecode in _TYPECODES:
        return (StopIteration, value.typecode, value.tobytes())
    for native, convert in _NATIVE:
        if issubclass(kind, native):
            return _plain(convert(value), depth)
    text = _repr(value)
    return (StopIteration, str.__str__(text[:MAX_VALUE]))


if __name__ == "__main__":
    main(int(sys.argv[1]))
