"""A fake of CuPy, over NumPy, with only the operations for which CuPy compiles no kernel.

These are memory, copies of contiguous memory and views; any other operation raises Compiles.
Kernels of a build are functions of a library: `interpreters` is the local twin
(tests/local_twin.py), and `arrays` has templates/runtime/arrays.cu as g++ compiles it.
"""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

HERE = Path(__file__).parent
FREE = 1 << 34  # free bytes that the fake reports


class Compiles(AssertionError):
    """Raised where CuPy would compile a kernel."""


class DriverError(Exception):
    """A fake of CUDADriverError and CUDARuntimeError."""


class Pointer:
    """A fake of cupy.cuda.MemoryPointer."""

    def __init__(self, ptr: int, owner: object) -> None:
        self.ptr, self._owner = ptr, owner

    def __add__(self, offset: int) -> Pointer:
        return Pointer(self.ptr + offset, self._owner)

    def copy_from_device_async(self, source: Pointer, size: int) -> None:
        ctypes.memmove(self.ptr, source.ptr, size)

    def copy_from_host_async(self, source: int, size: int, stream: Stream) -> None:
        ctypes.memmove(self.ptr, source, size)


class Array:
    """cupy.ndarray, without computations."""

    def __init__(self, memory: np.ndarray[Any, Any]) -> None:
        assert memory.dtype.kind in "biuf", f"CuPy has no arrays of {memory.dtype}"
        self._memory = memory

    shape = property(lambda self: self._memory.shape)
    dtype = property(lambda self: self._memory.dtype)
    ndim = property(lambda self: self._memory.ndim)
    size = property(lambda self: self._memory.size)
    nbytes = property(lambda self: self._memory.nbytes)
    itemsize = property(lambda self: self._memory.itemsize)
    flags = property(lambda self: self._memory.flags)
    data = property(lambda self: Pointer(self._memory.ctypes.data, self._memory))

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {**self._memory.__array_interface__, "stream": None}

    def __len__(self) -> int:
        return len(self._memory)

    def get(self, out: np.ndarray[Any, Any] | None = None) -> np.ndarray[Any, Any]:
        if not self._memory.flags.c_contiguous:
            raise Compiles("a copy of what is not contiguous")
        if out is None:
            return self._memory.copy()
        out[...] = self._memory
        return out

    def reshape(self, *shape: int) -> Array:
        view = self._memory.reshape(*shape)
        if view.size and not np.shares_memory(view, self._memory):
            raise Compiles("reshape that copies")
        return Array(view)

    def view(self, dtype: Any) -> Array:
        return Array(self._memory.view(dtype))

    def __getitem__(self, index: Any) -> Array:
        for part in index if isinstance(index, tuple) else (index,):
            if not isinstance(part, int | slice):
                raise Compiles(f"an index that is a {type(part).__name__}")
        return Array(np.asarray(self._memory[index]))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise Compiles(f"ndarray.{name}")


def _refuse(name: str) -> Any:
    def refused(self: Array, *others: Any) -> Any:
        raise Compiles(f"ndarray.{name}")

    return refused


ARITHMETIC = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift",
    "rshift", "matmul",
)  # fmt: skip
OTHERS = (
    "lt", "le", "gt", "ge", "eq", "ne", "neg", "pos", "abs", "invert", "setitem", "iter",
    "contains", "bool", "int", "float", "array",
)  # fmt: skip
_PREFIXED = [prefix + name for name in ARITHMETIC for prefix in ("", "r", "i")]
for _name in (*OTHERS, *_PREFIXED):
    setattr(Array, f"__{_name}__", _refuse(_name))


class Stream:
    ptr = 1

    def __init__(self, non_blocking: bool = False, *, priority: int = 0) -> None:
        pass

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def record(self, event: object = None) -> object:
        return event or Event()

    def wait_event(self, event: object) -> None:
        pass

    def synchronize(self) -> None:
        pass


class Event:
    ptr = 2

    def synchronize(self) -> None:
        pass

    def record(self, stream: Stream | None = None) -> None:
        pass


class Device:
    current = 0

    def __init__(self, number: int | None = None) -> None:
        self.id = Device.current if number is None else number
        self._before: list[int] = []

    def __enter__(self) -> Device:
        self._before.append(Device.current)
        Device.current = self.id
        return self

    def __exit__(self, *error: object) -> None:
        Device.current = self._before.pop()


def pinned(size: int) -> Any:
    """Pinned memory: a buffer with an address."""
    bytes_of = ctypes.c_uint8 * size
    return type("Pinned", (bytes_of,), {"ptr": property(ctypes.addressof)})()


class _Strict(SimpleNamespace):
    """A namespace in which a missing name means a compilation."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise Compiles(f"cupy.{name}")


class Kernel:
    """A function of a library, called for every thread of a grid."""

    max_threads_per_block = 256

    def __init__(self, call: Any) -> None:
        self._call = call

    def __call__(
        self, grid: tuple[int], block: tuple[int], arguments: Any, stream: object = None
    ) -> None:
        self._call(grid[0], block[0], arguments)


def strict_cupy(interpreters: ctypes.CDLL, arrays: ctypes.CDLL, gpus: int = 1) -> Any:
    """Return the fake as a module; its builds have the kernels of these libraries."""

    def launch(grid: int, block: int, arguments: tuple[Array]) -> None:
        at = ctypes.c_void_p(arguments[0].data.ptr)
        assert interpreters.gpusnek_launch(at, grid * block) == 0

    class Module:
        def __init__(self, *, path: str) -> None:
            assert Path(path).is_file()
            self.loaded_on: set[int] = set()

        def get_function(self, name: str) -> Kernel:
            self.loaded_on.add(Device.current)  # CuPy has a module for each GPU that uses it
            if name == "gpusnek_setup":
                return Kernel(lambda grid, block, arguments: None)
            if name == "gpusnek_launch":
                return Kernel(launch)
            return array_kernel(arrays, name)

    def zeros(shape: Any, dtype: Any) -> Array:
        return Array(np.zeros(shape, dtype))

    def empty(shape: Any, dtype: Any) -> Array:
        memory = np.zeros(shape, dtype)
        memory.view(np.uint8)[...] = 0xA5  # no code may rely on the content
        return Array(memory)

    def asarray(value: Any) -> Array:
        if isinstance(value, Array):
            return value
        assert isinstance(value, np.ndarray)
        if value.ndim == 0:
            raise Compiles("an array of one number without dimensions, which CuPy fills in")
        return Array(np.array(value, order="C"))

    properties = {"multiProcessorCount": 4, "maxThreadsPerMultiProcessor": 256}
    runtime = _Strict(
        CUDARuntimeError=DriverError,
        getDeviceCount=lambda: gpus,
        memGetInfo=lambda: (FREE, FREE),
        getDeviceProperties=lambda device: properties,
        cudaLimitStackSize=0,
        deviceGetLimit=lambda limit: 1 << 20,
        eventQuery=lambda event: 0,
        streamSynchronize=lambda stream: None,
        pointerGetAttributes=lambda at: SimpleNamespace(type=2, device=0),
    )
    cuda = _Strict(
        runtime=runtime,
        driver=_Strict(CUDADriverError=DriverError),
        Stream=Stream,
        Event=Event,
        Device=Device,
        get_current_stream=Stream,
        get_elapsed_time=lambda start, end: 1.0,
        alloc_pinned_memory=pinned,
    )
    pool = _Strict(free_all_blocks=lambda: None, free_bytes=lambda: 0)
    return _Strict(
        ndarray=Array,
        zeros=zeros,
        empty=empty,
        asarray=asarray,
        asnumpy=lambda array: array.get(),
        get_default_memory_pool=lambda: pool,
        RawModule=Module,
        cuda=cuda,
    )


def array_kernel(arrays: ctypes.CDLL, name: str) -> Kernel:
    """Return a kernel of templates/runtime/arrays.cu; raise DriverError for an unknown name."""
    number = arrays.kernel_number(name.encode())
    if number < 0:
        raise DriverError(f"{name}: not found")

    def call(grid: int, block: int, arguments: tuple[np.uint64, ...]) -> None:
        assert all(type(argument) is np.uint64 for argument in arguments)
        words = np.array(arguments, np.uint64)
        arrays.run_kernel(number, ctypes.c_uint(grid), ctypes.c_uint(block), words.ctypes)

    return Kernel(call)


def arrays_library(folder: Path) -> ctypes.CDLL:
    """Compile templates/runtime/arrays.cu for the CPU; write the library to `folder`."""
    library = folder / "arrays_twin.so"
    runtime = HERE.parent / "templates" / "runtime"
    options = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-pthread"]
    source = HERE / "arrays_twin.cpp"
    compile_it = ["g++", *options, f"-I{runtime}", str(source), "-o", str(library)]
    subprocess.run(compile_it, check=True, timeout=120)
    found = ctypes.CDLL(str(library))
    found.run_kernel.argtypes = [ctypes.c_int, ctypes.c_uint, ctypes.c_uint, ctypes.c_void_p]
    return found
