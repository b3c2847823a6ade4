"""Parses one preprocessed unit with libclang."""

from __future__ import annotations

from pathlib import Path

from clang.cindex import Index, TranslationUnit, TranslationUnitLoadError

from porter.errors import ToolFailed
from porter.syntax.node import Node, Unit

ARGUMENTS = ["-std=gnu99", "-ffreestanding", "-Wno-everything", "-target", "x86_64-linux-gnu"]


def parse_unit(name: str, path: Path) -> Unit:
    """Reads the preprocessed C at `path` into a `Unit`.

    The text is decoded as Latin-1, so that an offset counts bytes as libclang does.

    Raises:
        ToolFailed: libclang cannot read the unit, with its first message.
    """
    text = path.read_bytes().decode("latin-1")
    try:
        translation_unit = Index.create().parse(
            str(path), args=ARGUMENTS, options=TranslationUnit.PARSE_NONE
        )
    except TranslationUnitLoadError as error:
        raise ToolFailed(f"{name}: libclang cannot load the unit: {error}") from error
    for diagnostic in translation_unit.diagnostics:
        if diagnostic.severity >= diagnostic.Error:
            raise ToolFailed(f"{name}: libclang cannot read the unit: {diagnostic}")
    unit = Unit(name, text, translation_unit)
    for cursor in translation_unit.cursor.get_children():
        unit.declarations.append(_convert(unit, cursor))
    return unit


def _convert(unit: Unit, root: object) -> Node:
    """Builds the node tree below a cursor without recursion: initialisers nest deeply."""
    top = Node(unit, root, None)
    stack = [top]
    while stack:
        node = stack.pop()
        for child in node.cursor.get_children():
            below = Node(unit, child, node)
            node.children.append(below)
            stack.append(below)
    return top
