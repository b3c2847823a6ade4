"""A Python function that becomes native code, with all that its translation depends on."""

from __future__ import annotations

from attrs import frozen

from porter.compiler.graph import Graph
from porter.compiler.mpy import BytecodeModule
from porter.compiler.options import CompilerOptions
from porter.compiler.tables import Tables


@frozen
class FunctionUnit:
    """A function to translate: the context of all its blocks.

    Attributes:
        graph: Blocks of the function.
        module: The module that has the function.
        tables: Instructions of the release.
        options: Options of the translation.
        title: Name of the function, for comments and reports.
    """

    graph: Graph
    module: BytecodeModule
    tables: Tables
    options: CompilerOptions
    title: str
