"""Replace functions of upstream by functions of the port, where upstream's body is known.

A patch names the function, the text of the new body, and the bodies for which the text was written,
each by a digest of its preprocessed tokens (`[[replace]]` in a file of patches/). An unknown body
is kept: upstream has changed the function, and a person must decide whether the replacement still
applies. The text is replaced before any rule reads the unit, so the rules see the new body.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator

from attrs import frozen

from porter.base.c_text import LITERAL, behind_bracket
from porter.patches import FunctionReplacement
from porter.syntax.node import line_table, locate

_TOKEN = re.compile(
    rf"{LITERAL}|\w+|<<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\s\w]"
)
_MARKER = re.compile(r"^#[^\n]*$", re.MULTILINE)
_DIGITS = 16  # hexadecimal digits of a digest, enough to distinguish bodies of one function


@frozen
class Definition:
    """A function's definition in a preprocessed unit, by offsets.

    Attributes:
        start: The start of the declaration, with its storage class.
        opening: The opening brace of the body.
        closing: The closing brace of the body.
    """

    start: int
    opening: int
    closing: int


@frozen
class FoundBody:
    """The result of a function replacement in a unit.

    Attributes:
        function: The function.
        file: The unit, by its path in the source tree.
        patch: The patch with the replacement.
        digest: The digest of upstream's definition, or "" where the unit has none.
        known: Whether the body was replaced.
    """

    function: str
    file: str
    patch: str
    digest: str
    known: bool


def replace_functions(
    text: str, file: str, replacements: Iterable[FunctionReplacement]
) -> tuple[str, tuple[FoundBody, ...]]:
    """Return a unit's text with the bodies of known functions replaced.

    Args:
        text: The preprocessed unit. Its line markers stay right.
        file: The unit's path in the source tree, `py/mpz.c`.
        replacements: Replacements; those of other files are ignored.

    Returns:
        The new text, and the result of each replacement of this file.
    """
    found = []
    for one in replacements:
        if one.file != file:
            continue
        definitions = list(definitions_of(one.function, text))
        digest = digest_of(text, definitions[0]) if len(definitions) == 1 else ""
        known = digest in one.bodies
        if known:
            text = _replaced(text, definitions[0], one.text)
        found.append(FoundBody(one.function, file, one.patch, digest, known))
    return text, tuple(found)


def definitions_of(function: str, text: str) -> Iterator[Definition]:
    """Yield the definitions of a function in a preprocessed text."""
    for match in re.finditer(rf"(?<!\w){re.escape(function)}\s*\(", text):
        behind = behind_bracket(text, match.end(), "()") or len(text)
        opening = re.compile(r"\s*\{").match(text, behind)
        if opening is not None:
            closing = (behind_bracket(text, opening.end(), "{}") or len(text)) - 1
            yield Definition(_declaration(text, match.start()), opening.end() - 1, closing)


def digest_of(text: str, definition: Definition) -> str:
    """Return the digest of a definition's tokens; whitespace does not matter."""
    code = _MARKER.sub("", text[definition.start : definition.closing + 1])
    tokens = "\x1f".join(_TOKEN.findall(code))
    return hashlib.sha256(tokens.encode("utf-8", "surrogateescape")).hexdigest()[:_DIGITS]


def _declaration(text: str, name: int) -> int:
    """Return the start of the declaration whose name is at the offset `name`."""
    before = max(text.rfind(";", 0, name), text.rfind("}", 0, name)) + 1
    return before + len(text[before:name]) - len(text[before:name].lstrip())


def _replaced(text: str, definition: Definition, body: str) -> str:
    """Return `text` with another body; the code behind it keeps its file and line."""
    file, line, _ = locate(line_table(text), definition.closing)
    head, rest = text[: definition.opening], text[definition.closing + 1 :]
    lines = " ".join(part.strip() for part in body.strip().splitlines())
    marker = f'\n# {line + 1} "{file}"' if rest.startswith("\n") else f'\n# {line} "{file}"\n'
    return f"{head}{{ {lines} }}{marker}{rest}"
