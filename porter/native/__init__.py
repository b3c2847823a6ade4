"""Machine code of Python bytecode: made by the compiled tier, loaded beside a build's library."""

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
