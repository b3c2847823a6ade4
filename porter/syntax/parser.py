"""Parse a preprocessed unit with libclang, or list its functions where parts do not parse."""

from __future__ import annotations

from clang.cindex import CursorKind, Index, TranslationUnit, TranslationUnitLoadError

from porter.base import arguments
from porter.errors import PreprocessFailed
from porter.syntax.node import Node, Unit, line_table, locate

ARGUMENTS = ["-std=gnu99", "-ffreestanding", "-Wno-everything", "-target", "x86_64-linux-gnu"]


def parse_unit(name: str, path: arguments.StrPath) -> Unit:
    """Parse the preprocessed C at `path` into a `Unit`.

    The text is decoded as Latin-1, so that offsets count bytes, as libclang's do.

    Args:
        name: The unit's name, for messages.
        path: The preprocessed unit.

    Raises:
        PreprocessFailed: libclang cannot read the unit; the message has libclang's first message
            and upstream's line.
    """
    path = arguments.path(path, "path")
    text = path.read_bytes().decode("latin-1")
    try:
        translation_unit = Index.create().parse(
            str(path), args=ARGUMENTS, options=TranslationUnit.PARSE_NONE
        )
    except TranslationUnitLoadError as error:
        raise PreprocessFailed(f"{name}: libclang cannot load the unit: {error}") from error
    for diagnostic in translation_unit.diagnostics:
        if diagnostic.severity >= diagnostic.Error:
            file, line, column = locate(line_table(text), diagnostic.location.offset)
            raise PreprocessFailed(
                f"{file}:{line}:{column}: {name}: libclang cannot read the unit: "
                f"{diagnostic.spelling}",
                hint="A header of templates/libc lacks a declaration, or libclang lacks a feature "
                "of C.",
                file=file,
                line=line,
                unit=name,
            )
    unit = Unit(name, text, translation_unit)
    for cursor in translation_unit.cursor.get_children():
        unit.declarations.append(_convert(unit, cursor))
    return unit


def _convert(unit: Unit, root: object) -> Node:
    """Build the node tree below a cursor, without recursion since initialisers nest deeply."""
    top = Node(unit, root, None)
    stack = [top]
    while stack:
        node = stack.pop()
        for child in node.cursor.get_children():
            below = Node(unit, child, node)
            node.children.append(below)
            stack.append(below)
    return top


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
