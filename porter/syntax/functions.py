"""List the functions that a preprocessed text defines, even if parts of it cannot be parsed."""

from __future__ import annotations

from clang.cindex import CursorKind, Index

from porter.syntax.parse import ARGUMENTS


def functions_defined(text: str) -> set[str]:
    """Return the names of the functions with a body in the C `text`.

    Code that libclang cannot read is skipped without an error: the text may lack declarations.
    """
    unit = Index.create().parse("asked.c", args=ARGUMENTS, unsaved_files=[("asked.c", text)])
    return {
        cursor.spelling
        for cursor in unit.cursor.get_children()
        if cursor.kind == CursorKind.FUNCTION_DECL and cursor.is_definition()
    }
