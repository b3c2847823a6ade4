"""Load device code, or link it from PTX for a GPU that is newer than the build.

The driver compiles each compilation unit separately and links the results, as `ptxas` and `nvlink`
do. Concatenating the units' PTX into one text would be wrong: in whole-program compilation each
kernel gets its own copies of functions, and function pointers become numbers.
"""

from __future__ import annotations

import atexit
import ctypes
import hashlib
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import field, frozen

from porter.base.architectures import Architectures
from porter.base.files import read_sealed, write_sealed, write_whole
from porter.base.fingerprint import file_digest
from porter.base.progress import to_stderr
from porter.errors import LaunchFailed, UsageError
from porter.run.built import Built, device_output

DRIVER = "libcuda.so.1"
_MAX_REGISTERS, _ERROR_LOG, _ERROR_LOG_BYTES = 0, 5, 6  # CUjit_option
_PTX = 1  # CUjitInputType
_LOG_BYTES = 8192
_CAP = re.compile(r"-maxrregcount=(\d+)")


KERNEL = "gpusnek_launch"


@frozen(eq=False)
class LinkedCode:
    """A build's kernels with native code of programs (porter/native/known_programs.py).

    Attributes:
        cubin: The linked code; None where no program has native code, and the build's own is
            loaded.
        modules: The programs' NativeModules, keyed by digests of their bytecode.
    """

    cubin: bytes | None = field(repr=False)
    modules: Mapping[str, Any] = field(repr=False)

    def module_of(self, code: bytes) -> Any:
        """Return the NativeModule of bytecode.

        Raises:
            UsageError: The device was opened without this program's native code.
        """
        try:
            return self.modules[hashlib.sha256(code).hexdigest()]
        except KeyError:
            raise UsageError(
                "a GPU runs native code of programs that it was opened with",
                hint="Open it with this program too (porter.native.open_compiled), or ask "
                "for none: the program runs interpreted, and does the same.",
            ) from None


def loaded(
    cupy: Any, built: Built, code: Path, linked: LinkedCode | None = None
) -> tuple[Any, Any]:
    """Load device code on the current GPU.

    Args:
        cupy: The CuPy module.
        built: The build.
        code: The build's cubin or fatbin; PTX is linked instead where the GPU is newer.
        linked: Code to load instead, where it has a cubin.

    Returns:
        The module and its launch kernel.

    Raises:
        LaunchFailed: The code cannot be loaded or linked.
    """
    if linked is not None and linked.cubin is not None:
        return _loaded_from(cupy, built, linked.cubin)
    path = linked_for(cupy, built) or code
    try:
        module = cupy.RawModule(path=str(path))
        return module, module.get_function(KERNEL)
    except cupy.cuda.driver.CUDADriverError as error:
        arch = built.config["arch"]
        raise LaunchFailed(
            f"{path} does not load on this GPU: {error}",
            hint=f"It is built for {arch}; `porter build --arch` builds for another.",
        ) from error


def _loaded_from(cupy: Any, built: Built, cubin: bytes) -> tuple[Any, Any]:
    # CuPy reads the file at first use, so resolve the kernel before the file is deleted.
    with tempfile.NamedTemporaryFile(prefix="gpusnek-", suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        try:
            module = cupy.RawModule(path=file.name)
            kernel = module.get_function(KERNEL)
            int(kernel.max_threads_per_block)
        except cupy.cuda.driver.CUDADriverError as error:
            raise LaunchFailed(
                f"kernels with native code of programs do not load on this GPU: {error}",
                hint=f"They are for {built.config['arch']}, as the build is.",
            ) from error
    return module, kernel


def linked_for(cupy: Any, built: Built) -> Path | None:
    """Return a cubin linked for the current GPU, from the cache where there is one.

    Returns:
        None where the build has code for this GPU, or has no PTX for others. Loading the build's
        code then reports the mismatch.

    Raises:
        LaunchFailed: The driver cannot link the PTX.
    """
    output = device_output(built)
    if not output.ptx:
        return None
    capability = str(cupy.cuda.Device().compute_capability)  # "90" is 9.0
    major, minor = int(capability[:-1]), int(capability[-1])
    if Architectures.of(built.config["arch"]).runs_on(major, minor):
        return None
    units = sorted(name for name in output.files if name.endswith(".ptx"))
    driver = cupy.cuda.runtime.driverGetVersion()
    parts = (capability, driver, *output.flags, *(output.files[name].sha256 for name in units))
    key = hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:16]
    # imported here, because a machine that only runs builds may lack its dependencies
    from porter.base.paths import linked_dir

    kept = linked_dir() / f"sm_{capability}-{key}.cubin"
    if _is_whole(kept):
        return kept
    to_stderr(f"linking native code for sm_{capability} from PTX, which is done once")
    cupy.cuda.runtime.free(0)  # creates the context that the driver links for
    paths = [built.file("cuda", name.removeprefix("cuda/")) for name in units]
    return _keep(link(paths, _cap(output.flags)), kept)


def _cap(flags: Sequence[str]) -> int:
    found = (_CAP.fullmatch(flag) for flag in flags)
    return next(int(match[1]) for match in found if match is not None)


def _is_whole(kept: Path) -> bool:
    """Return whether the cubin `kept` is unchanged since it was linked."""
    record = read_sealed(_record_of(kept))
    try:
        return record is not None and file_digest(kept) == record["sha256"]
    except OSError:
        return False


def _record_of(kept: Path) -> Path:
    return kept.with_suffix(".json")


def _keep(cubin: bytes, kept: Path) -> Path:
    try:
        write_whole(kept, cubin, parents=True)
        write_sealed(_record_of(kept), {"sha256": hashlib.sha256(cubin).hexdigest()})
        return kept
    except OSError:  # the user has no writable folder; keep the cubin for this process
        with tempfile.NamedTemporaryFile(prefix="gpusnek-", suffix=".cubin", delete=False) as file:
            file.write(cubin)
        atexit.register(Path(file.name).unlink, missing_ok=True)
        return Path(file.name)


@frozen
class _Options:
    """Options of a link: two arrays, and the buffer for the driver's messages."""

    names: Any
    values: Any
    log: Any

    @classmethod
    def of(cls, registers: int) -> _Options:
        """Return the options for at most `registers` registers per thread."""
        log = ctypes.create_string_buffer(_LOG_BYTES)
        names = (ctypes.c_uint * 3)(_MAX_REGISTERS, _ERROR_LOG, _ERROR_LOG_BYTES)
        values = (ctypes.c_void_p * 3)(registers, ctypes.addressof(log), _LOG_BYTES)
        return cls(names, values, log)


def link(units: Sequence[Path], registers: int) -> bytes:
    """Link PTX files for the GPU of the current context. Returns the cubin.

    Args:
        units: The PTX files, one per compilation unit.
        registers: Maximum registers per thread.

    Raises:
        LaunchFailed: The driver failed; the message has its log.
    """
    options = _Options.of(registers)
    state, cubin, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
    try:
        driver = ctypes.CDLL(DRIVER)
    except OSError as error:
        raise LaunchFailed(f"the driver does not load: {error}") from error

    def call(name: str, *arguments: Any, about: str = "") -> None:
        status = getattr(driver, name)(*arguments)
        if status:
            said = options.log.value.decode(errors="replace").strip()
            raise LaunchFailed(
                f"the driver does not link PTX{about}: {name} gives {status}: {said}",
                hint="`porter build --arch native` makes native code for this GPU.",
            )

    call("cuLinkCreate_v2", 3, options.names, options.values, ctypes.byref(state))
    try:
        for unit in units:
            text = unit.read_bytes() + b"\0"
            name = unit.name.encode()
            size.value = len(text)
            call(
                "cuLinkAddData_v2", state, _PTX, text, size, name, 0, None, None,
                about=f" of {unit.name}",
            )  # fmt: skip
        call("cuLinkComplete", state, ctypes.byref(cubin), ctypes.byref(size))
        return ctypes.string_at(cubin, size.value)
    finally:
        driver.cuLinkDestroy(state)
