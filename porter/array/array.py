"""`InterpreterArray`: Python interpreters that stay, driven from a Python program."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any

from porter.array.files import file_systems
from porter.array.left import Left
from porter.array.opening import (
    SIZES,
    check_count,
    check_device,
    check_room,
    open_target,
    read_sizes,
)
from porter.array.runner import Runner
from porter.array.sharing import Sharing
from porter.base.arguments import whole
from porter.errors import UsageError
from porter.fs import Image
from porter.run import Device, Launch
from porter.run.built import Built
from porter.run.session import MAXIMUM

Size = int | str | None


class InterpreterArray(Sharing, Left):
    """`n` Python interpreters, on the GPU or on the host twin. A context manager.

    They keep their variables from call to call. Each call is one launch; calls from several
    threads take turns. Interpreter i has the globals threadIdx (i) and numThreads (n).

    target: "cuda", "host", or None: the GPU where there is one. build: the folder of a finished
    build (`porter build` prints it); without it one is made, of `release` or the newest.
    device: one that is open already, instead of all these. heap, pystack, stack, stdout, stderr:
    bytes per interpreter (4096 or "4K"); None takes the build's. block: interpreters that share
    a barrier. seed: of random numbers. fs: a littlefs2 image, of which each gets a copy at "/".
    stream: the CUDA stream that launches go to.

    Raises UsageError (a ValueError), NotEnoughMemory (a MemoryError), WrongType (a TypeError),
    and what opening or making a build raises.
    """

    def __init__(
        self,
        n: int,
        *,
        heap: Size = None,
        pystack: Size = None,
        stack: Size = None,
        stdout: Size = None,
        stderr: Size = None,
        target: str | None = None,
        release: str | None = None,
        build: str | os.PathLike[str] | Built | None = None,
        device: Device | None = None,
        block: int = 0,
        seed: int = 0,
        fs: str | os.PathLike[str] | Image | None = None,
        stream: Any = None,
    ) -> None:
        self.n = check_count(n)
        given = read_sizes(dict(zip(SIZES, (heap, pystack, stack, stdout, stderr), strict=True)))
        block = whole(block, "block", 0, MAXIMUM)
        seed = whole(seed, "seed", -(2**63), 2**64 - 1)
        if device is None:
            self.device = open_target(target, release, build, stream, given)
        else:
            others = {"target": target, "release": release, "build": build, "stream": stream}
            self.device = check_device(device, **others)
        self._owned = device is None
        config = self.device.built.config
        size = {name: given.get(name, int(config[name])) for name in SIZES}
        check_room(self.device, self.n, size["pystack"], size["heap"], size["stack"])
        self._files = None if fs is None else file_systems(self.device, fs, self.n)
        launch = Launch(
            heap=size["heap"],
            pystack=size["pystack"],
            stack=size["stack"],
            stdout=size["stdout"],
            stderr=size["stderr"],
            block=block,
            seed=seed,
            fs=self._files.memory if self._files else None,
            fs_shared=False,
            fs_block=self._files.block_size if self._files else 0,
            persist=self.device.arenas(self.n, size["pystack"], size["heap"]),
            stop=False,
        )
        self._runner = Runner(self.device, self.n, launch)

    def file_system(self, index: int) -> Image:
        """A copy of interpreter `index`'s file system as it is now."""
        index = self._check_index(index)
        with self._runner.lock:
            self._runner.check_open()
            if self._files is None:
                raise UsageError("these interpreters have no file system", hint="Give fs=IMAGE.")
            return self._files.image(self.device, self.n, index)

    def trim(self) -> int:
        """Give memory back that the interpreters do not use now; returns its bytes.

        On a GPU an interpreter at rest then takes as much as the fullest of them uses, instead of
        its whole heap. The next call takes the memory again and copies them there; it raises
        NotEnoughMemory where there is none by then, and they stay as they are. The memory goes to
        CuPy's pool (`cupy.get_default_memory_pool().free_all_blocks()` for other libraries).
        """
        return self._runner.trim()

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._runner.closed

    def close(self) -> None:
        """Stop the interpreters (atexit, finalisers) and give their memory back. May be repeated.

        A launch under way is waited for.
        """
        if self._runner.close():
            self._files = None
            if self._owned:
                self.device.close()

    def __enter__(self) -> InterpreterArray:
        with self._runner.lock:
            self._runner.check_open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        state = "closed" if self.closed else self.device.name
        return f"<InterpreterArray of {self.n}, {state}>"
