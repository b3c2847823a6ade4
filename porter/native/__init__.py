"""The compiled tier's driver: profile bytecode, compile its C++ to native code, cache and load it.

`compile_code` compiles source to bytecode. `make` turns bytecode into a `NativeModule`: a profiling
run (profiling_run.py) collects type feedback, porter/compiler translates, and a `NativeTarget` runs
g++ or nvcc. `open_compiled` opens a GPU with native code of known programs. `Natives` keeps the
modules of one array for its launches. `NativeReport` describes what native code did in a launch.
"""

from porter.base.deprecated import renamed_names
from porter.native.compilation import make
from porter.native.known_programs import open_compiled
from porter.native.natives import Brought, Natives
from porter.native.profiling_run import ProfilingRun
from porter.native.report import FailedGuard, NativeFunction, NativeReport
from porter.native.stubs import like_memory, like_value

__getattr__ = renamed_names(__name__, {"GaveUp": "FailedGuard"})

__all__ = [
    "Brought",
    "FailedGuard",
    "NativeFunction",
    "NativeReport",
    "Natives",
    "ProfilingRun",
    "like_memory",
    "like_value",
    "make",
    "open_compiled",
]
