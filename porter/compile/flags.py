"""The compilers' flags, in one place."""

from __future__ import annotations

from attrs import frozen

from porter.config import BuildConfig
from porter.errors import UsageError

# Upstream is C that relies on type punning and on signed overflow in hashes; warnings are
# upstream's business. a*b+c is not contracted, for Python's floats must be CPython's.
COMMON_CXX = (
    "-std=gnu++17",
    "-fno-strict-aliasing",
    "-fwrapv",
    "-ffp-contract=off",
    "-fno-rtti",
    "-fno-math-errno",
    "-w",
    "-pthread",
)

# Registers a device thread: with this cap half of the most resident warps fit. With a higher cap
# fewer fit, and several programs are slower (docs/lab/performance.md).
REGISTERS = 64
MOST_REGISTERS = 255

# C stack below the limit that the port enforces, for what is called without a check.
STACK_SLACK = 4096


@frozen
class HostVariant:
    """One way of building the host twin: its name, and flags for compiling and linking.

    `scanning` are further flags for the units that read the C stack as the collector does,
    `units` for all rewritten units.
    """

    name: str
    compile: tuple[str, ...]
    link: tuple[str, ...] = ()
    scanning: tuple[str, ...] = ()
    units: tuple[str, ...] = ()


# These units read whole stacks, other functions' variables and red zones included: the collector
# marks from there.
STACK_SCANNERS = frozenset({"py_gc.cpp", "port_gccollect.cpp", "gc_host.cpp"})


VARIANTS: dict[str, HostVariant] = {
    variant.name: variant
    for variant in (
        HostVariant("release", ("-O2", "-g1")),
        HostVariant("debug", ("-O0", "-g")),
        HostVariant(
            "asan",
            (
                "-O1",
                "-g",
                "-fsanitize=address,undefined",
                # vptr needs type information. With the others the address of an object is no
                # constant expression, and upstream's static assertions compare addresses.
                # A size that saturates may be added to a pointer before both meet a bound (-fwrapv
                # says what that gives); AddressSanitizer finds an access through it.
                "-fno-sanitize=vptr,null,nonnull-attribute,returns-nonnull-attribute",
                "-fno-sanitize=pointer-overflow",
                "-fno-sanitize-recover=undefined",
                "-fno-omit-frame-pointer",
            ),
            ("-fsanitize=address,undefined",),
            ("-fno-sanitize=address",),
        ),
        # A call of ours begins each basic block (templates/runtime/trace_host.cpp), and frame
        # pointers tell calls and returns: equal at all calls of a function, whatever the arguments.
        HostVariant(
            "traced",
            (
                "-O2",
                "-g1",
                "-DPORTER_TRACED=1",
                "-fno-omit-frame-pointer",
                "-fno-optimize-sibling-calls",
                "-fno-reorder-blocks-and-partition",
                "-fno-crossjumping",
                "-fno-jump-tables",
                "-maccumulate-outgoing-args",
            ),
            units=("-fsanitize-coverage=trace-pc",),
        ),
    )
}


# Of a fenced host twin's rewritten units: a call of ours before each load and store that is not
# provably of a local variable (templates/runtime/fences_host.cpp). These checks see accesses, and
# copies of structs, but no call of memcpy: loops must not become one.
FENCED = (
    "-fsanitize=kernel-address",
    "--param=asan-instrumentation-with-call-threshold=0",
    "--param=asan-stack=0",
    "--param=asan-globals=0",
    "-fno-tree-loop-distribute-patterns",
)


# Of a build that counts what instructions do (templates/runtime/profile_hooks.h).
PROFILING = ("-DPORTER_PROFILE=1",)

# Of a device build whose lanes meet again (templates/runtime/reconvergence.cu).
RECONVERGING = ("-DPORTER_RECONVERGE=1",)


def check_variant(variant: str, fences: bool, profile: bool = False) -> None:
    """UsageError for a variant that cannot have fences: both instrument every access.

    Nor can a build that counts: the counts lie outside interpreters.
    """
    if fences and profile:
        raise UsageError(
            "profile: fences let no interpreter write counts, which lie outside its memory",
            hint="Leave out --fences (--sandbox brings it), or --profile.",
        )
    if fences and (VARIANTS[variant].link or VARIANTS[variant].units):
        raise UsageError(
            f"fences: the host twin's variant {variant} has checks of its own",
            hint=f"Leave out --fences, or --variant {variant}.",
        )


def host_compile(
    variant: HostVariant, fences: bool = False, profile: bool = False
) -> tuple[str, ...]:
    """Options of `g++ -c`. Thread-local state is reached without a call (initial-exec)."""
    return (
        *COMMON_CXX,
        *variant.compile,
        f"-DPORTER_FENCES={int(fences)}",
        *(PROFILING if profile else ()),
        "-fPIC",
        "-fvisibility=protected",
        "-ftls-model=initial-exec",
    )


def host_link(variant: HostVariant) -> tuple[str, ...]:
    """Options of the link of `libgpusnek.so`; what is missing is an error now, not at load."""
    return ("-shared", "-pthread", "-Wl,--no-undefined", "-Wl,-O1", *variant.link)


def nvcc_front(config: BuildConfig) -> tuple[str, ...]:
    """Options that turn a source into PTX.

    The one size among them is the C stack's, for local arenas: the state lies right below it, so
    its address depends on it (templates/runtime/porter_runtime.h). All others are a launch's.
    """
    local = config.arena == "local"
    stack = (f"-DPORTER_STACK_BYTES={config.stack}u", f"-DPORTER_STACK_SLACK={STACK_SLACK}u")
    return (
        f"-arch={config.architectures.front}",
        "-rdc=true",
        "-std=c++17",
        "-O3",
        "-fmad=false",
        "-w",
        f"-DPORTER_ARENA_LOCAL={int(local)}",
        f"-DPORTER_FENCES={int(config.fences)}",
        *(PROFILING if config.profile else ()),
        *(RECONVERGING if config.reconverge else ()),
        *(stack if local else ()),
    )


def nvcc_back(registers: int) -> tuple[str, ...]:
    """Options that turn PTX into a relocatable cubin; `registers` caps them per thread.

    The architecture stands before them: one PTX may become machine code of several.
    """
    return ("-rdc=true", "-Xptxas", "-v", f"-maxrregcount={registers}")
