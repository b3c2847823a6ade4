"""The functions that a preprocessed text defines, whether or not all of it can be read."""

from __future__ import annotations

from clang.cindex import CursorKind, Index

from porter.syntax.parse import ARGUMENTS


def functions_defined(text: str) -> set[str]:
    """Names of the functions with a body in the C `text`.

    What libclang cannot read is left out without an error: the text may lack declarations.
    """
    unit = Index.create().parse("asked.c", args=ARGUMENTS, unsaved_files=[("asked.c", text)])
    return {
        cursor.spelling
        for cursor in unit.cursor.get_children()
        if cursor.kind == CursorKind.FUNCTION_DECL and cursor.is_definition()
    }
