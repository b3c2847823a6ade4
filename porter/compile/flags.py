"""The options of g++, nvcc and ptxas, for every variant of the host twin and the device build."""

from __future__ import annotations

from attrs import frozen

from porter.base import arguments
from porter.config import BuildConfig
from porter.errors import UsageError

# Upstream's C relies on type punning (-fno-strict-aliasing) and on signed overflow in hashes
# (-fwrapv). -w: warnings about upstream's code are not porter's to fix. -ffp-contract=off: a*b+c
# must round twice, as CPython's floats do.
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

# Registers per device thread. A cap of 64 allows half of the maximum of resident warps. A higher
# cap allows fewer warps, and several programs run slower (docs/lab/performance.md).
REGISTERS = 64
MOST_REGISTERS = 255

# Bytes of C stack below the limit that the port enforces, for functions without a stack check.
STACK_SLACK = 4096


@frozen
class HostVariant:
    """A variant of the host twin: its name and its options for compiling and linking.

    Attributes:
        name: The variant's name, as in `--variant`.
        compile: Options for every unit.
        link: Options for the linker.
        scanning: Further options for the units that scan the C stack (`STACK_SCANNERS`).
        units: Further options for the rewritten units.
    """

    name: str
    compile: tuple[str, ...]
    link: tuple[str, ...] = ()
    scanning: tuple[str, ...] = ()
    units: tuple[str, ...] = ()


# The collector's units scan whole stacks, including other functions' variables and the red zones
# of AddressSanitizer.
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
                # vptr needs run-time type information. null and both nonnull checks make the
                # address of an object a non-constant expression, and upstream's static assertions
                # compare addresses. pointer-overflow: upstream adds a saturated size to a pointer
                # before it compares both with a bound. -fwrapv defines the result, and
                # AddressSanitizer catches an access through such a pointer.
                "-fno-sanitize=vptr,null,nonnull-attribute,returns-nonnull-attribute",
                "-fno-sanitize=pointer-overflow",
                "-fno-sanitize-recover=undefined",
                "-fno-omit-frame-pointer",
            ),
            ("-fsanitize=address,undefined",),
            ("-fno-sanitize=address",),
        ),
        # Each basic block starts with a call of the tracer (templates/runtime/trace_host.cpp). The
        # tracer tells calls from returns by the frame pointer. So a function must have the same
        # frame at all of its calls, whatever the arguments.
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


# Options of the rewritten units of a host twin with bounds checks. g++ emits a call before each
# load and store that is not provably to a local variable (templates/runtime/fences_host.cpp).
# fences_inline.h puts the comparisons that most accesses need before the call. These
# checks cover plain accesses and copies of structs, but no call of memcpy, so loops must not become
# memcpy.
FENCED = (
    "-fsanitize=kernel-address",
    "--param=asan-instrumentation-with-call-threshold=0",
    "--param=asan-stack=0",
    "--param=asan-globals=0",
    "-fno-tree-loop-distribute-patterns",
    "-include",
    "fences_inline.h",
)


# Option of a build that counts the bytecode instructions (templates/runtime/profile_hooks.h).
PROFILING = ("-DPORTER_PROFILE=1",)

# Option of a device build whose lanes reconverge (templates/runtime/reconvergence.cu).
RECONVERGING = ("-DPORTER_RECONVERGE=1",)


def check_variant(variant: str, bounds_checks: bool, profile: bool = False) -> None:
    """Refuse combinations of variant, bounds checks and profiling that cannot be built.

    A variant with instrumentation excludes bounds checks: both instrument every access. Profiling
    excludes them since the counters lie outside the interpreters' memory.

    Raises:
        UsageError: The combination cannot be built.
    """
    arguments.choice(variant, "variant", tuple(VARIANTS))
    if bounds_checks and profile:
        raise UsageError(
            "profile: bounds checks refuse the writes of counters, which lie outside an "
            "interpreter's memory",
            hint="Leave out --profile or --bounds-checks; --sandbox implies --bounds-checks.",
        )
    if bounds_checks and (VARIANTS[variant].link or VARIANTS[variant].units):
        raise UsageError(
            f"bounds_checks: the host twin's variant {variant} has checks of its own",
            hint=f"Leave out --bounds-checks or --variant {variant}.",
        )


def host_compile(
    variant: HostVariant, bounds_checks: bool = False, profile: bool = False
) -> tuple[str, ...]:
    """Return the options of `g++ -c`. The TLS model initial-exec avoids a call per access."""
    return (
        *COMMON_CXX,
        *variant.compile,
        f"-DPORTER_BOUNDS_CHECKS={int(bounds_checks)}",
        *(PROFILING if profile else ()),
        "-fPIC",
        "-fvisibility=protected",
        "-ftls-model=initial-exec",
    )


def host_link(variant: HostVariant) -> tuple[str, ...]:
    """Return the link options of `libgpusnek.so`; undefined symbols fail here, not at load."""
    return ("-shared", "-pthread", "-Wl,--no-undefined", "-Wl,-O1", *variant.link)


def nvcc_front(config: BuildConfig) -> tuple[str, ...]:
    """Return the options that compile a source to PTX.

    The C stack's size is an option only for local arenas: the state lies right below the stack, so
    the state's address depends on it (templates/runtime/porter_runtime.h). All other sizes are
    parameters of a launch.
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
        f"-DPORTER_BOUNDS_CHECKS={int(config.bounds_checks)}",
        *(PROFILING if config.profile else ()),
        *(RECONVERGING if config.reconverge else ()),
        *(stack if local else ()),
    )


def nvcc_back(registers: int) -> tuple[str, ...]:
    """Return the options that compile PTX to a relocatable cubin.

    The rule that uses them adds the architecture, since one PTX serves several.

    Args:
        registers: The cap on registers per thread.
    """
    return ("-rdc=true", "-Xptxas", "-v", f"-maxrregcount={registers}")
