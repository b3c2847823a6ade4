"""Machine code for kernels: nvcc makes a cubin of each program, link.py links it with the build's.

A GPU's machine code is linked as a whole, and what interpreters keep holds addresses of the cubin
that made it. So programs must be known before a device is opened: programs.py makes code with
theirs in it, and `open_device(..., code=...)` opens that.
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
from porter.compile.device_tier import ALONE
from porter.compile.device_tier import LIBRARY as LOOKING
from porter.compile.ptx import UnknownPtx, rewrite
from porter.compiler.options import Enter
from porter.compiler.stored import INSTRUCTIONS, PRELUDE, SYMBOL, load_tables
from porter.compiler.tables import Tables
from porter.errors import BuildFailed, LaunchFailed, ToolFailed, UsageError
from porter.run.built import Built, device_output

LIBRARY = "libgpusnek.a"
SECONDS = 600.0  # that a tool may take
TO_PTX = ("-x", "cu", "-ptx")
# ptxas uses all cores for one program; the step before it would have copies of functions then.
SPLIT = "--split-compile=0"
# What preludes use of nvcc's headers, which its option makes empty. The PTX is the same.
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
# In a cubin a digest of the program's text stands behind the name.
_NAMED = re.compile(rb"\x00(%s_[0-9a-f]{16})\x00" % SYMBOL.encode())


@frozen(slots=False)
class KernelTarget:
    """Makes machine code for the kernels of `built`. front, back: flags of nvcc, to PTX and on.

    cubins: of the programs that were made, each one's number less 1. identity, suffix, enter: see
    NativeTarget.
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
        """For the device build of `built`. Raises NotBuilt, UsageError, NoNvcc."""
        output = device_output(built)
        names = [f"cuda/{name}" for name in (LIBRARY, LOOKING, PRELUDE, ALONE, INSTRUCTIONS)]
        if any(name not in output.files for name in names):
            raise UsageError(
                f"the device build in {built.folder} runs no machine code of programs",
                hint="Make one with `porter build --target cuda`, for one architecture, and "
                "without --float single, --fences and --profile: builds with these have none.",
            )
        front, back = _split(output.flags)
        made_of = (output.files[name].sha256 for name in names)
        identity = ("cuda", *made_of, toolchain.nvcc().version, *front, *back)
        return cls(built, identity, front, back)

    def file(self, name: str) -> Path:
        """A file of the device build. Raises NotBuilt."""
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
        """The one that the build is for: sm_90."""
        return self.back[0].removeprefix("-arch=")

    def build(self, source: Path, made: Path) -> None:
        """A cubin of the C++ in `source`, for link.py. Raises NoNvcc, BuildFailed."""
        text = source.read_text(encoding="utf-8")
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        prelude = self.prelude.read_text(encoding="utf-8")
        named = f"#define {SYMBOL} {SYMBOL}_{digest}\n"  # each program's own, for one linker
        self.compile(f"{prelude}\n{named}{text}", digest[:8], source, made, words=not self._global)

    @property
    def _global(self) -> bool:
        """Whether states are found by the number of the thread, which is among nvcc's headers."""
        return bool(self.built.config["arena"] != "local")

    def compile(
        self, text: str, number: str, source: Path, made: Path, *, words: bool = False
    ) -> None:
        """A cubin of C++. number: of the unit, eight hexadecimal digits; source: for messages.

        words: without nvcc's own headers, if that works. Raises NoNvcc, BuildFailed.
        """
        with tempfile.TemporaryDirectory(prefix="gpusnek-") as folder:
            unit, ptx = Path(folder, "module.cu"), Path(folder, "module.ptx")
            try:
                if not (words and self._without_headers(text, unit, ptx)):
                    unit.write_text(text, encoding="utf-8")
                    start(toolchain.nvcc().path, *self.front, *TO_PTX, unit, "-o", ptx)
                ptx.write_text(rewrite(ptx.read_text(encoding="utf-8"), number), encoding="utf-8")
            except ToolFailed as error:
                raise BuildFailed(f"machine code of {source}: {error.message}") from error
            except UnknownPtx as error:
                raise BuildFailed(f"machine code of {source}: {error}") from error
            self.assemble(ptx, made)

    def _without_headers(self, text: str, unit: Path, ptx: Path) -> bool:
        """Make PTX in half the time: reading nvcc's headers takes as long as a small program.

        False where this nvcc does not take it so, or `text` is wrong.
        """
        unit.write_text(f"{WORDS}{text}", encoding="utf-8")
        try:
            start(toolchain.nvcc().path, *self.front, NO_HEADERS, *TO_PTX, unit, "-o", ptx)
        except ToolFailed:
            return False
        return True

    def assemble(self, ptx: Path, made: Path) -> None:
        """A cubin of PTX. Raises NoNvcc, BuildFailed."""
        try:
            start(toolchain.nvcc().path, *self.back, SPLIT, "-cubin", ptx, "-o", made)
        except ToolFailed as error:
            raise BuildFailed(f"machine code of {ptx}: {error.message}") from error

    def load(self, made: Path, symbol: str) -> tuple[int, object]:
        """The module's number, from 1: it is linked later, with all others."""
        cubin = made.read_bytes()
        if cubin not in self.cubins:
            self.cubins.append(cubin)
        return self.cubins.index(cubin) + 1, None


def start(*command: str | Path, cwd: Path | None = None) -> None:
    """Run a tool to its end. Raises ToolFailed."""
    run(command, cwd=cwd, timeout=SECONDS, tied=True)


def symbol_of(cubin: bytes) -> str:
    """What runs a module, as its cubin names it. Raises LaunchFailed."""
    found = _NAMED.search(cubin)
    if found is None:
        raise LaunchFailed(f"a cubin of {len(cubin)} bytes has no function {SYMBOL}")
    return found[1].decode()


def _split(flags: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A device build's flags that make PTX, and those that make machine code of it."""
    last = max(i for i, flag in enumerate(flags) if flag.startswith("-arch="))
    return tuple(flags[:last]), tuple(flags[last:])
