"""The `NativeTarget` for GPUs: nvcc compiles each program to a cubin, which link.py links later.

Device code is linked as a whole, and interpreters that persist between launches hold addresses of
its cubin. Hence programs must be known before a device is opened. known_programs.py links kernels
with the programs' native code, and `open_device(..., code=...)` opens these.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from attrs import field, frozen

from porter import toolchain
from porter.base.process import run
from porter.compile.device_units import ALONE
from porter.compile.device_units import LIBRARY as LOOKING
from porter.compile.ptx import UnknownPtx, rewrite
from porter.compiler.options import Enter
from porter.compiler.stored import INSTRUCTIONS, PRELUDE, SYMBOL, load_tables
from porter.compiler.tables import Tables
from porter.errors import BuildFailed, LaunchFailed, ToolFailed, UsageError
from porter.run.built import Built, device_output

LIBRARY = "libgpusnek.a"
SECONDS = 600.0  # time limit of a tool
TO_PTX = ("-x", "cu", "-ptx")
# ptxas uses all cores for one program. The step before ptxas would copy functions with this option.
SPLIT = "--split-compile=0"
# NO_HEADERS makes nvcc's headers empty. WORDS has the declarations that preludes use from these.
# The PTX is the same.
NO_HEADERS = "-D__CUDA_RUNTIME_H__"
WORDS = """\
#define __device__ __attribute__((device))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define PORTER_WORD extern "C" __device__ __attribute__((device_builtin))
typedef unsigned long size_t;
PORTER_WORD void *__nv_cvta_local_to_generic_impl(size_t);
PORTER_WORD int __clz(int);
PORTER_WORD int __clzll(long long);
PORTER_WORD int __popcll(unsigned long long);
PORTER_WORD long long __mul64hi(long long, long long);
PORTER_WORD size_t __nv_cvta_generic_to_local_impl(const void *);
PORTER_WORD unsigned __match32_all_sync(unsigned, unsigned, int *);
PORTER_WORD int __nvvm_vote_any_sync(unsigned, int);
static __forceinline__ __device__ void *__cvta_local_to_generic(size_t address) {
    return __nv_cvta_local_to_generic_impl(address);
}
static __forceinline__ __device__ size_t __cvta_generic_to_local(const void *address) {
    return __nv_cvta_generic_to_local_impl(address);
}
static __forceinline__ __device__ unsigned __activemask(void) {
    unsigned lanes;
    asm volatile("activemask.b32 %0;" : "=r"(lanes));
    return lanes;
}
static __forceinline__ __device__ int __any_sync(unsigned lanes, int own) {
    return __nvvm_vote_any_sync(lanes, own);
}
static __forceinline__ __device__ unsigned __match_all_sync(
    unsigned lanes, unsigned own, int *alike) {
    return __match32_all_sync(lanes, own, alike);
}
"""
# Name of a program's function in its cubin: SYMBOL and a digest of the program's C++.
_NAMED = re.compile(rb"\x00(%s_[0-9a-f]{16})\x00" % SYMBOL.encode())


@frozen(slots=False)
class KernelTarget:
    """The target that compiles native code for the kernels of a build.

    Attributes:
        built: The build.
        identity: As `NativeTarget.identity`.
        front: Flags of nvcc from C++ to PTX.
        back: Flags of nvcc from PTX to a cubin.
        cubins: Cubins of the programs compiled so far. The index is the module's number minus 1.
        suffix: As `NativeTarget.suffix`.
        enter: As `NativeTarget.enter`.
    """

    built: Built
    identity: tuple[str, ...]
    front: tuple[str, ...]
    back: tuple[str, ...]
    cubins: list[bytes] = field(factory=list, repr=False)
    suffix: str = ".cubin"
    enter: Enter = "apart"

    @classmethod
    def of(cls, built: Built) -> KernelTarget:
        """Return the target for the device build of `built`.

        Raises:
            NotBuilt: There is no device build.
            UsageError: The device build runs no native code.
            NoNvcc: There is no usable nvcc.
        """
        output = device_output(built)
        names = [f"cuda/{name}" for name in (LIBRARY, LOOKING, PRELUDE, ALONE, INSTRUCTIONS)]
        if any(name not in output.files for name in names):
            raise UsageError(
                f"the device build in {built.folder} runs no native code of programs",
                hint="Make one with `porter build --target cuda`, for one architecture, and "
                "without --float single, --bounds-checks and --profile: these exclude native code.",
            )
        front, back = _split(output.flags)
        made_of = (output.files[name].sha256 for name in names)
        identity = ("cuda", *made_of, toolchain.nvcc().version, *front, *back)
        return cls(built, identity, front, back)

    def file(self, name: str) -> Path:
        """Return the path of a file of the device build. Raises NotBuilt."""
        return self.built.file("cuda", name)

    @property
    def prelude(self) -> Path:
        """See NativeTarget."""
        return self.file(PRELUDE)

    @cached_property
    def tables(self) -> Tables:
        """See NativeTarget."""
        return load_tables(self.file(INSTRUCTIONS))

    @property
    def architecture(self) -> str:
        """Architecture of the build, such as sm_90."""
        return self.back[0].removeprefix("-arch=")

    def build(self, source: Path, made: Path) -> None:
        """Compile the C++ in `source` to the cubin `made`, for link.py.

        Raises:
            NoNvcc: There is no usable nvcc.
            BuildFailed: The C++ does not compile.
        """
        text = source.read_text(encoding="utf-8")
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        prelude = self.prelude.read_text(encoding="utf-8")
        named = f"#define {SYMBOL} {SYMBOL}_{digest}\n"  # unique per program, for the linker
        self.compile(f"{prelude}\n{named}{text}", digest[:8], source, made, words=not self._global)

    @property
    def _global(self) -> bool:
        """True if arenas are global.

        Native code then finds its interpreter by the thread index, which nvcc's headers declare.
        """
        return bool(self.built.config["arena"] != "local")

    def compile(
        self, text: str, number: str, source: Path, made: Path, *, words: bool = False
    ) -> None:
        """Compile C++ to the cubin `made`.

        Args:
            text: The C++.
            number: Number of the unit, as eight hexadecimal digits.
            source: File named in messages.
            made: File of the cubin.
            words: Whether to try without nvcc's own headers first.

        Raises:
            NoNvcc: There is no usable nvcc.
            BuildFailed: The C++ does not compile.
        """
        with tempfile.TemporaryDirectory(prefix="gpusnek-") as folder:
            unit, ptx = Path(folder, "module.cu"), Path(folder, "module.ptx")
            try:
                if not (words and self._without_headers(text, unit, ptx)):
                    unit.write_text(text, encoding="utf-8")
                    start(toolchain.nvcc().path, *self.front, *TO_PTX, unit, "-o", ptx)
                ptx.write_text(rewrite(ptx.read_text(encoding="utf-8"), number), encoding="utf-8")
            except ToolFailed as error:
                raise BuildFailed(f"native code of {source}: {error.message}") from error
            except UnknownPtx as error:
                raise BuildFailed(f"native code of {source}: {error}") from error
            self.assemble(ptx, made)

    def _without_headers(self, text: str, unit: Path, ptx: Path) -> bool:
        """Compile C++ to PTX without nvcc's headers, and return whether that succeeded.

        nvcc takes as long for its headers as for a small program. The attempt fails if the release
        of nvcc needs its headers, or if `text` is wrong.
        """
        unit.write_text(f"{WORDS}{text}", encoding="utf-8")
        try:
            start(toolchain.nvcc().path, *self.front, NO_HEADERS, *TO_PTX, unit, "-o", ptx)
        except ToolFailed:
            return False
        return True

    def assemble(self, ptx: Path, made: Path) -> None:
        """Assemble PTX to the cubin `made`. Raises NoNvcc, BuildFailed."""
        try:
            start(toolchain.nvcc().path, *self.back, SPLIT, "-cubin", ptx, "-o", made)
        except ToolFailed as error:
            raise BuildFailed(f"native code of {ptx}: {error.message}") from error

    def load(self, made: Path, symbol: str) -> tuple[int, object]:
        """Add a cubin to those to be linked later, and return its module's number, from 1."""
        cubin = made.read_bytes()
        if cubin not in self.cubins:
            self.cubins.append(cubin)
        return self.cubins.index(cubin) + 1, None


def start(*command: str | Path, cwd: Path | None = None) -> None:
    """Run a tool, and wait for its end. Raises ToolFailed."""
    run(command, cwd=cwd, timeout=SECONDS, tied=True)


def symbol_of(cubin: bytes) -> str:
    """Return the name of the function that runs the module in a cubin. Raises LaunchFailed."""
    found = _NAMED.search(cubin)
    if found is None:
        raise LaunchFailed(f"a cubin of {len(cubin)} bytes has no function {SYMBOL}")
    return found[1].decode()


def _split(flags: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split a device build's flags into those from C++ to PTX and those from PTX to a cubin."""
    last = max(i for i, flag in enumerate(flags) if flag.startswith("-arch="))
    return tuple(flags[:last]), tuple(flags[last:])
