"""All exceptions for porter's users, each class with its own exit code.

`docs/exit-codes.md` is the table of these classes (`python -m porter.errors` prints it). Codes 10
to 19 mean that a tool is missing or failed on this machine. Codes 20 to 29 mean that upstream
changed in a way that porter cannot handle. Codes 50 to 59 mean that a build fails a check.
"""

from porter.errors.base import (
    CorruptSource,
    FileProblem,
    PorterError,
    SyncFailed,
    UnknownRelease,
    UsageError,
)
from porter.errors.building import (
    BuildDamaged,
    BuildFailed,
    NotBuilt,
    VerifyFailed,
)
from porter.errors.checks import (
    BenchFailed,
    ConformanceRegression,
    FuzzFailed,
    SmokeFailed,
    SweepFailed,
    TortureFailed,
)
from porter.errors.clusters import (
    ClusterFailed,
    ClusterMismatch,
    NoCluster,
)
from porter.errors.running import (
    ArrayClosed,
    BindingError,
    DeviceFailed,
    InterpreterError,
    InterpreterTimeout,
    LaunchFailed,
    LaunchInterrupted,
    LimitReached,
    NotEnoughMemory,
    ProgramFailed,
    ProgramSyntaxError,
    WrongType,
)
from porter.errors.table import (
    EXIT_INTERNAL,
    EXIT_INTERRUPTED,
    error_classes,
    exit_code_table,
)
from porter.errors.tools import (
    MissingPackage,
    NoCompiler,
    NoGpu,
    NoNvcc,
    ToolFailed,
    ToolMissing,
    ToolTimedOut,
)
from porter.errors.upstream import (
    CompilerRefused,
    GenerateFailed,
    OptionRefused,
    PatchDrift,
    PatchMissing,
    PreprocessFailed,
    UnknownConstruct,
    UpstreamChange,
)

__all__ = [
    "EXIT_INTERNAL",
    "EXIT_INTERRUPTED",
    "ArrayClosed",
    "BenchFailed",
    "BindingError",
    "BuildDamaged",
    "BuildFailed",
    "ClusterFailed",
    "ClusterMismatch",
    "CompilerRefused",
    "ConformanceRegression",
    "CorruptSource",
    "DeviceFailed",
    "FileProblem",
    "FuzzFailed",
    "GenerateFailed",
    "InterpreterError",
    "InterpreterTimeout",
    "LaunchFailed",
    "LaunchInterrupted",
    "LimitReached",
    "MissingPackage",
    "NoCluster",
    "NoCompiler",
    "NoGpu",
    "NoNvcc",
    "NotBuilt",
    "NotEnoughMemory",
    "OptionRefused",
    "PatchDrift",
    "PatchMissing",
    "PorterError",
    "PreprocessFailed",
    "ProgramFailed",
    "ProgramSyntaxError",
    "SmokeFailed",
    "SweepFailed",
    "SyncFailed",
    "ToolFailed",
    "ToolMissing",
    "ToolTimedOut",
    "TortureFailed",
    "UnknownConstruct",
    "UnknownRelease",
    "UpstreamChange",
    "UsageError",
    "VerifyFailed",
    "WrongType",
    "error_classes",
    "exit_code_table",
]
