"""A griffe extension that renders porter's docstrings as Markdown for the API reference.

griffe calls it for each function, class and attribute that mkdocstrings shows.

A section in Google's style (`Args:`, `Attributes:`, `Returns:`, `Raises:`, `Yields:`) becomes a
heading and a list. Older docstrings explain a parameter or a field in a paragraph, as "name: text";
each explanation becomes an entry of a list. A field of an attrs class has a comment instead,
above it or at the end of its line. The name of a document becomes a link to its page.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Collection
from typing import Any

import griffe

# The first lines of sections, with their headings on the page.
LIST_SECTIONS = {"Args:": "Arguments", "Attributes:": "Attributes", "Raises:": "Raises"}
PROSE_SECTIONS = {"Returns:": "Returns", "Yields:": "Yields"}
SECTIONS = {*LIST_SECTIONS, *PROSE_SECTIONS}
PAGE = re.compile(r"(?<![\w/`])docs/([\w/-]+)\.md")


class Docstrings(griffe.Extension):
    """The griffe extension: rewrites docstrings in place while griffe collects objects."""

    def on_attribute_instance(
        self, *, node: ast.AST | griffe.ObjectNode, attr: griffe.Attribute, **_: Any
    ) -> None:
        """Give an attrs field its comment as docstring and its default as value."""
        if not isinstance(node, ast.AnnAssign | ast.Assign) or attr.docstring or not attr.parent:
            return
        if isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "field":
            attr.value = default(node.value)
        if not attr.parent.is_class or not attr.lineno or not attr.endlineno:
            return
        lines = attr.parent.source.splitlines()
        first = attr.lineno - (attr.parent.lineno or 1)
        if text := comment(lines, first, first + attr.endlineno - attr.lineno):
            attr.docstring = griffe.Docstring(linked(text), parent=attr, lineno=attr.lineno)

    def on_function_instance(self, *, func: griffe.Function, **_: Any) -> None:
        """Render a function's docstring."""
        if func.docstring:
            func.docstring.value = readable(func.docstring.value, {p.name for p in func.parameters})

    def on_class_members(self, *, cls: griffe.Class, **_: Any) -> None:
        """Render a class's docstring, once griffe knows the class's members."""
        if cls.docstring:
            made = cls.members.get("__init__")
            names = (
                {p.name for p in made.parameters} if isinstance(made, griffe.Function) else set()
            )
            cls.docstring.value = readable(cls.docstring.value, names | set(cls.members))


def default(field: ast.Call) -> str | None:
    """Return the default of an attrs field as source, or None for none or a factory."""
    given = {keyword.arg: keyword.value for keyword in field.keywords}
    return ast.unparse(given["default"]) if "default" in given else None


def comment(lines: list[str], first: int, last: int) -> str:
    """Return the comment above `lines[first : last + 1]`, else the comment at its end, else ""."""
    above: list[str] = []
    while first - len(above) > 0 and (line := lines[first - len(above) - 1].strip())[:1] == "#":
        above.append(line.lstrip("# "))
    if above:
        return " ".join(reversed(above))
    behind = re.search(r"  # ([^\"']+)$", lines[last])
    return behind[1] if behind else ""


def readable(text: str, names: Collection[str]) -> str:
    """Return a docstring as Markdown.

    Args:
        text: The docstring, dedented.
        names: Parameters and fields that the docstring may explain.
    """
    parts = []
    for part in text.split("\n\n"):
        head, _, rest = part.partition("\n")
        if head.strip() in SECTIONS and rest.startswith(" "):
            parts.append(section(head.strip(), linked(rest)))
        else:
            parts.append(listed(linked(part), names))
    return "\n\n".join(parts)


def section(head: str, text: str) -> str:
    """Return a section in Google's style as Markdown.

    Args:
        head: Its first line, one of SECTIONS.
        text: The lines below, indented. A line that is indented further continues an entry.
    """
    lines = textwrap.dedent(text).splitlines()
    if head in PROSE_SECTIONS:
        return f"**{PROSE_SECTIONS[head]}**: {' '.join(line.strip() for line in lines)}"
    entries: list[str] = []
    for line in lines:
        if line.startswith(" ") and entries:
            entries[-1] += " " + line.strip()
        else:
            entries.append(line.strip())
    shown = []
    for entry in entries:
        name, colon, meaning = entry.partition(": ")
        shown.append(f"- **{name}**: {meaning}" if colon else f"- {entry}")
    return "\n".join([f"**{LIST_SECTIONS[head]}**", "", *shown])


def listed(paragraph: str, names: Collection[str]) -> str:
    """Return a paragraph with its explanations of `names` as entries of a list."""
    known = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    if not known:
        return paragraph
    begins = rf"(?:^|(?<=\.)\s+)(?=(?:{known})(?:,\s+(?:{known}))*:\s|Raises )"
    first, *parts = re.split(begins, paragraph)
    if not parts:
        return paragraph
    shown = [first.strip()]
    for part in parts:
        name, colon, meaning = " ".join(part.split()).partition(": ")
        raises = name.startswith("Raises ")
        shown.append(f"\n{part}" if raises or not colon else f"- **{name}**: {meaning}")
    return "\n".join([shown[0], "", *shown[1:]])


def linked(text: str) -> str:
    """Return text with names of documents as links, relative to the site's folder api/."""
    return PAGE.sub(lambda found: f"[{found[1]}](../{found[1]}.md)", text)
