"""Check that the names in a hunk's text are declared at its place.

A hunk's anchor can fit although upstream renamed a variable or function that only the hunk's text
uses. The compiler would then fail. So `applying` treats a hunk with unknown names as a hunk that
does not fit. Macros, members and labels are not checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import Path

from attrs import define

from porter.base import paths
from porter.base.c_text import LITERAL, without_comments
from porter.patches.anchors import Range
from porter.patches.patch import Hunk, Patch

HEADERS = ("py", "extmod", "shared", "lib")  # folders of upstream's headers

_LITERAL = re.compile(LITERAL)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_TEMPLATE = re.compile(r"\{%.*?%\}|\{#.*?#\}|\{\{.*?\}\}", re.DOTALL)
_USED = re.compile(r"(?<![\w.])(?<!->)[A-Za-z_]\w*(?!\w)(?!\s*:(?!:))")
_WORD = re.compile(r"(?<![\w.])(?<!->)[A-Za-z_]\w*")  # no member
_DECLARED = re.compile(
    r"(?:,\s*(?=\**\w+\s*[=;])|\}\s*|(?<![\w.>])(?!(?:return|else|goto|case|sizeof|do)\b)[A-Za-z_]\w*\s+)"
    r"\**([A-Za-z_]\w*)\s*(?=[=;,\[)(]|$)"
)
_MACRO = re.compile(r"_*[A-Z][A-Z0-9_]*\Z|MP_QSTR_|MICROPY_|GPUSNEK_|gpusnek_|__")
_WRAPPER = re.compile(r"_*[A-Z][A-Z0-9_]+x?\Z")
_KEYWORDS = frozenset((
    "auto", "bool", "break", "case", "char", "const", "continue", "default", "do", "double",
    "else", "enum", "extern", "false", "float", "for", "goto", "if", "inline", "int", "long",
    "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct",
    "switch", "true", "typedef", "union", "unsigned", "void", "volatile", "while", "asm",
))  # fmt: skip
_TOKEN = re.compile(r"\w+|[{}();]|\n(?=\w)|\n}")
_STATE = re.compile(r"MP_STATE_\w+\(\w+\)")  # members that any file may add


@define
class SourceTree:
    """The source tree that patches are applied to. Its headers are read once, when first needed.

    Attributes:
        root: The folder.
    """

    root: Path

    def names_in(self, file: str) -> frozenset[str]:
        """Return the names that upstream's version of a file declares."""
        return _declared((self.root / file).read_text(encoding="utf-8", errors="replace"))

    @cached_property
    def global_names(self) -> frozenset[str]:
        """Return the names that upstream's headers and those of the port declare."""
        folders = [self.root / name for name in HEADERS]
        files = [file for folder in folders for file in sorted(folder.rglob("*.h"))]
        return _names_of((*files, *_port_headers()))


def unknown_names(patch: Patch, hunk: Hunk, text: str, place: Range, tree: SourceTree) -> list[str]:
    """Return the names that a hunk's text uses and that nothing at its place declares.

    Args:
        patch: The patch. Its hunks may declare names for each other.
        hunk: The hunk.
        text: The file's text without the hunk.
        place: The range of offsets that the hunk replaces or inserts at.
        tree: The source tree, for upstream's version of the file and for headers.

    Returns:
        The names, sorted.
    """
    names = set(_used_names(hunk.text)) - _own(patch, hunk)
    names -= _around(text, place) if names else set()
    names |= _out_of_scope(patch, hunk, text, place)
    if names:
        names -= tree.names_in(hunk.file)
    return sorted(names - tree.global_names) if names else []


def _code(text: str) -> str:
    return _LITERAL.sub("0", without_comments(text))


@lru_cache(maxsize=1024)
def _used_names(text: str) -> frozenset[str]:
    code = _STATE.sub("", _DIRECTIVE.sub("", _code(text)))
    return frozenset(
        name for name in _USED.findall(code) if name not in _KEYWORDS and not _MACRO.match(name)
    )


def _around(text: str, place: Range) -> set[str]:
    """Return the words of the function at a place, between closing braces in column 0."""
    code = without_comments(text)
    start = code.rfind("\n}", 0, place[0]) + 1
    end = code.find("\n}", place[1])
    return set(_WORD.findall(_code(code[start : end if end >= 0 else len(code)])))


@lru_cache(maxsize=1024)
def _own(patch: Patch, hunk: Hunk) -> frozenset[str]:
    """Return the names that the texts of a patch declare for one of its hunks.

    The hunk and other hunks of its function count with all names. Further hunks count with the
    names that they declare outside of functions.
    """
    found: set[str] = set()
    for other in patch.hunks:
        if not other.inside or other.action == "above":
            found |= _declared(other.text)
        if other == hunk or (
            hunk.inside and (other.file, other.inside) == (hunk.file, hunk.inside)
        ):
            found |= _variables(other.text)
    return frozenset(found)


@lru_cache(maxsize=1024)
def _variables(text: str) -> frozenset[str]:
    """Return all names that a hunk's text declares or defines."""
    code = _code(text)
    return frozenset(_DEFINED.findall(code) + _DECLARED.findall(_DIRECTIVE.sub("", code)))


def _out_of_scope(patch: Patch, hunk: Hunk, text: str, place: Range) -> set[str]:
    """Return the names that an earlier hunk declares in a block which ends before the place."""
    found: set[str] = set()
    for other in patch.hunks[: patch.hunks.index(hunk)]:
        names = _used_names(hunk.text) & _variables(other.text) - _variables(hunk.text)
        whole = "".join(line + "\n" for line in other.text.splitlines())
        start = text.rfind(whole, 0, place[0]) if other.file == hunk.file else -1
        if not names or start < 0:
            continue
        end, depth, least = start + len(whole), 0, 0
        between = _code(text[end : place[0]])
        if "\n}" in between:
            continue  # the earlier hunk is in another function
        for brace in re.findall(r"[{}]", between):
            depth += 1 if brace == "{" else -1
            least = min(least, depth)
        if least < 0:
            without = text[:start] + text[end:]
            shift = start - end
            found |= names - _around(without, (place[0] + shift, place[1] + shift))
    return found


@lru_cache(maxsize=2048)
def _declared(text: str) -> frozenset[str]:
    """Return the words of a file outside of bodies and of parentheses, and its macros.

    The constants of an enum and the first argument of a macro outside count as outside.
    """
    code = _code(text)
    found = set(_DEFINED.findall(code))
    depth = parentheses = 0
    enum = macro = False
    last = ""
    for token in _TOKEN.findall(_DIRECTIVE.sub("", code)):
        if token.startswith("\n"):  # a word or a closing brace in column 0: outside of all else
            enum = enum and token == "\n}"
            depth = parentheses = 0
            macro = False
        elif token == "{":
            depth += 1 if depth or not enum else 0
        elif token == "}":
            depth = max(0, depth - 1)
            enum = enum and depth > 0
        elif token == "(":
            macro = parentheses == 0 and bool(_WRAPPER.match(last))
            parentheses += 1
        elif token == ")":
            parentheses = max(0, parentheses - 1)
        elif token == ";":
            enum = False
        else:
            enum = enum or (token == "enum" and depth == 0)
            if depth == 0 and (parentheses == 0 or macro):
                found.add(token)
                macro = False
        last = token
    return frozenset(found)


def _port_headers() -> Iterable[Path]:
    for folder in ("port", "libc", "runtime"):
        for file in sorted((paths.templates_dir() / folder).rglob("*")):
            if file.suffix == ".h" or file.name.endswith(".h.j2"):
                yield file


def _names_of(files: Iterable[Path]) -> frozenset[str]:
    found: set[str] = set()
    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace")
        found |= _declared(_TEMPLATE.sub("", text) if file.suffix == ".j2" else text)
    return frozenset(found)
