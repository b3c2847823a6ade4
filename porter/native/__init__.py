"""The compiled tier's driver: profile bytecode, compile its C++ to native code, cache and load it.

porter/array passes bytecode to `make`, and gets a `NativeModule`. On the way a profiling run
(trial.py) collects type feedback, porter/compiler translates, and a `NativeTarget` runs g++ or
nvcc. `Natives` keeps the modules of one array for its launches, and `NativeReport` describes what
native code did in a launch.
"""

from porter.native.making import make
from porter.native.natives import Brought, Natives
from porter.native.report import GaveUp, NativeFunction, NativeReport
from porter.native.standins import like_memory, like_value
from porter.native.trial import ProgramTrial

__all__ = [
    "Brought",
    "GaveUp",
    "NativeFunction",
    "NativeReport",
    "Natives",
    "ProgramTrial",
    "like_memory",
    "like_value",
    "make",
]
