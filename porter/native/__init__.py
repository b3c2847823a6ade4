"""Machine code of Python bytecode: made by the compiled tier, loaded beside a build's library."""

from porter.native.making import make
from porter.native.module import NativeModule

__all__ = ["NativeModule", "make"]
