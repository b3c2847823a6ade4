"""Find the place of a hunk in a file, and the nearest text if the anchor is missing.

An anchor is compared token by token with the file's text, comments removed. So upstream can split
or join lines, change whitespace and write comments without a change of the patch. A name in place
of an anchor (`Hunk.at`) stands for the statement, label or macro definition that has it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from functools import lru_cache

from attrs import frozen

from porter.base.c_text import LITERAL, TOKEN, behind_bracket, token_pattern, without_comments
from porter.errors import PatchDrift
from porter.patches.patch import Hunk


@frozen
class _Scope:
    """A range of offsets in which an anchor is searched. `body`: after the opening brace."""

    start: int
    end: int
    body: int = 0


Range = tuple[int, int]  # offsets of a text: start and end

_LITERAL = re.compile(LITERAL)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
_DEFINITION = r"^[ \t]*#[ \t]*define[ \t]+{}\b(?:[^\n]*\\\n)*[^\n]*"
_BOUNDARY = re.compile(r"[;:{}()\[\]]")
_MACRO_LINES = re.compile(r"\A(?:\s*[A-Z][A-Z0-9_]*[ \t]*\n)+")  # statements without a semicolon
_VALUE = re.compile(r"=\s*\Z|(?:=|\Areturn\b).*\)\s*\Z", re.DOTALL)  # a brace after it is no block
_CONTROL = re.compile(r"(?:if|else|for|while|do|switch)\b")
_LABEL = re.compile(r"case\b[^?]*|\w+(?:\s*\(\s*\w+\s*\))?")


def apply_hunk(hunk: Hunk, text: str, patch: str = "", number: int = 1) -> str:
    """Return `text` with the hunk. Arguments and errors are those of `find_places`."""
    return with_text(hunk, text, find_places(hunk, text, patch, number))


def find_places(hunk: Hunk, text: str, patch: str = "", number: int = 1) -> tuple[Range, ...]:
    """Return the ranges of `text` that the hunk's text replaces, in order; empty to insert.

    Args:
        hunk: The edit.
        text: The file's text.
        patch: The patch's name, for the error.
        number: The hunk's place in the patch, from 1, for the error.

    Returns:
        A single range, a range for each definition of a function that the hunk enters or stands
        above, or a range for each call of a function.

    Raises:
        PatchDrift: The anchor does not occur once; the function, the call or the include block is
            missing.
    """
    if hunk.action == "include":
        at = _behind_includes(hunk, text, patch, number)
        ranges = [(at, at)]
    elif hunk.action == "enter":
        bodies = [_line_end(text, scope.body) for scope in _scopes(hunk, text, patch, number)]
        ranges = [(at, at) for at in bodies]
    elif hunk.action == "above":
        heads = [_above(text, scope.start) for scope in _scopes(hunk, text, patch, number)]
        ranges = [(at, at) for at in heads]
    elif hunk.action == "call":
        return _calls(hunk, text, patch, number)
    else:
        find = _find_name if hunk.at else _find
        start, end = find(hunk, text, patch, number)
        before, after = _line_start(text, start), _line_end(text, end)
        ranges = {
            "before": [(before, before)],
            "after": [(after, after)],
            "replace": [(before, after)],
        }[hunk.action]
    if any(_splits_directive(text, at) for one in ranges for at in one):
        raise drift(hunk, patch, number, "the place is in the middle of a preprocessor line")
    return tuple(ranges)


def with_text(hunk: Hunk, text: str, places: tuple[Range, ...]) -> str:
    """Return `text` with the hunk's text at the places that `find_places` returned."""
    if hunk.action == "call":
        for start, end in reversed(places):
            text = text[:start] + hunk.text.strip() + text[end:]
        return text
    new = "".join(line + "\n" for line in hunk.text.splitlines())
    for start, end in reversed(places):
        text = _spliced(text, start, end, new)
    return text


def has_code(anchor: str) -> bool:
    """Return whether an anchor has a token outside of comments."""
    return bool(TOKEN.search(without_comments(anchor)))


def _find(hunk: Hunk, text: str, patch: str, number: int) -> Range:
    """Return the offsets at which the anchor's tokens start and end."""
    scopes = _scopes(hunk, text, patch, number) if hunk.inside else [_Scope(0, len(text))]
    pattern = token_pattern("\n".join(hunk.anchor))
    code = without_comments(text)
    # Scopes overlap if a function has several heads, in branches of a conditional.
    places = {
        match.span() for scope in scopes for match in pattern.finditer(code, scope.start, scope.end)
    }
    found = sorted(places)
    if len(found) != 1:
        raise drift(hunk, patch, number, _explain(hunk, text, scopes[0], found))
    return found[0]


@frozen
class _Statement:
    """A statement of a function, by offsets: `plain`, the `head` of a block, or a `label`."""

    start: int
    end: int
    kind: str


def _find_name(hunk: Hunk, text: str, patch: str, number: int) -> Range:
    """Return the offsets of the statement, label or macro definition that has the name `hunk.at`.

    Raises:
        PatchDrift: The name does not occur once, or no text can stand beside its statement.
    """
    name = hunk.at.removeprefix("#define ").removesuffix(":")
    code = without_comments(text)
    found: dict[Range, bool] = {}  # whether the statement refuses text beside it
    if hunk.at.startswith("#"):
        pattern = re.compile(_DEFINITION.format(name), re.MULTILINE)
        found = {match.span(): False for match in pattern.finditer(code)}
    else:
        plain = _statements_only(code)
        use = re.compile(rf"(?<![\w.])(?<!->){re.escape(name)}(?!\w)")
        for scope in _scopes(hunk, text, patch, number):
            for one in _statements(plain, scope):
                uses = len(use.findall(plain, one.start, one.end))
                if uses and (one.kind == "label") == hunk.at.endswith(":"):
                    refused = _refuses(plain[one.start : one.end], one, hunk.action)
                    found[one.start, one.end] = refused or uses > 1
    if len(found) != 1:
        lines = ", ".join(str(text.count("\n", 0, start) + 1) for start, _ in sorted(found))
        count = f"is there {len(found)} times (lines {lines})" if found else "is not there"
        raise drift(hunk, patch, number, f"the name {hunk.at} {count}")
    (place, refused), *_ = found.items()
    if refused:
        detail = f"no text can be {hunk.action} the statement with {hunk.at}"
        raise drift(hunk, patch, number, detail)
    return place


@lru_cache(maxsize=64)
def _statements_only(code: str) -> str:
    """Return `code` with blanks for literals and preprocessor lines; offsets stay."""
    return _DIRECTIVE.sub(_blank, _LITERAL.sub(_blank, code))


def _blank(match: re.Match[str]) -> str:
    """Return blanks for the characters of a match; line breaks stay."""
    return re.sub(r"[^\n]", " ", match[0])


def _refuses(code: str, statement: _Statement, action: str) -> bool:
    """Return whether text beside a statement would end up in, or end, another statement."""
    word = _CONTROL.match(code)
    if word is None:
        return False
    return statement.kind == "plain" or (word[0] == "else" and action == "before")


def _statements(code: str, scope: _Scope) -> Iterator[_Statement]:
    """Yield the statements of a function's body, heads of blocks and labels, in order.

    Args:
        code: The file's text, with blanks for comments, literals and preprocessor lines
            (`_statements_only`).
        scope: The function.
    """
    start, depth = scope.body, 0  # depth: of parentheses and of the braces of initialisers
    for match in _BOUNDARY.finditer(code, scope.body, scope.end):
        mark, at = match[0], match.end()
        if mark in "([":
            depth += 1
            continue
        if mark in ")]":
            depth = max(0, depth - 1)
            continue
        before = _MACRO_LINES.sub("", code[start : at - 1]).strip()
        if mark == "{" and (depth or (_VALUE.search(before) and not _CONTROL.match(before))):
            depth += 1
        elif mark == "}" and depth:
            depth -= 1
        elif depth == 0 and not (mark == ":" and not _LABEL.fullmatch(before)):
            kind = {";": "plain", "{": "head", "}": "", ":": "label"}[mark]
            if kind and before:
                yield _Statement(code.index(before, start), at, kind)
            start = at


def _scopes(hunk: Hunk, text: str, patch: str, number: int) -> list[_Scope]:
    """Return the definitions of the function `hunk.inside`; a file may have several, under `#if`.

    Relies on upstream's format: the closing brace of a definition is in column 0, or the whole
    body is on one line.
    """
    code = without_comments(text)
    found = []
    # A macro may wrap the name, as in `MICROPY_WRAP_X(x)(void) {`. The pattern begins with the
    # name, so `re` searches for the name as a string.
    name = re.escape(hunk.inside)
    for match in re.finditer(rf"{name}(?<!\w{name})(?:\s*\))*\s*\(", code):
        behind = behind_bracket(code, match.end(), "()") or len(code)
        opening = re.compile(r"\s*\{").match(code, behind)
        if opening is None:
            continue  # a declaration or a call
        end = _body_end(code, opening.end())
        found.append(_Scope(text.rfind("\n", 0, match.start()) + 1, end, opening.end()))
    if not found:
        raise drift(hunk, patch, number, f"there is no function {hunk.inside}")
    return found


def _calls(hunk: Hunk, text: str, patch: str, number: int) -> tuple[Range, ...]:
    """Return the offsets of the name in each call of the anchor, in the order of the text."""
    name = hunk.anchor[0].strip()
    code = without_comments(text)
    pattern = re.compile(rf"(?<![\w.])(?<!->){re.escape(name)}(?=\s*\()")
    scopes = _scopes(hunk, text, patch, number)
    found = {
        match.span() for scope in scopes for match in pattern.finditer(code, scope.body, scope.end)
    }
    if not found:
        raise drift(hunk, patch, number, f"there is no call of {name}")
    return tuple(sorted(found))


def _above(text: str, head: int) -> int:
    """Return the offset of the first line of the definition whose name is in the line at `head`.

    Specifiers and a return type may have lines of their own.
    """
    code = without_comments(text)
    while head > 0:
        start = code.rfind("\n", 0, head - 1) + 1
        line = code[start:head].strip()
        continued = code[: max(start - 1, 0)].endswith("\\")
        if not line or continued or line.startswith("#") or line.endswith((";", "}", ":")):
            break
        head = start
    return head


def _body_end(code: str, body: int) -> int:
    """Return the offset behind the closing brace of the function whose body starts at `body`."""
    end = behind_bracket(code, body, "{}", code.find("\n", body))
    if end is not None:
        return end
    closing = code.find("\n}", body)
    return len(code) if closing < 0 else closing + 2


def _behind_includes(hunk: Hunk, text: str, patch: str, number: int) -> int:
    """Return the offset behind the last `#include` before the file's first declaration.

    An `#include` outside of every `#if` is preferred, because the compiler always reads it.
    """
    always = sometimes = -1
    depth, at = 0, 0
    continued = False
    for line, code in zip(
        text.splitlines(True), without_comments(text).splitlines(True), strict=True
    ):
        at += len(line)
        directive = re.match(r"\s*#\s*(\w*)", code)
        if directive is None and not continued and code.strip():
            break
        continued = code.rstrip().endswith("\\")
        word = directive[1] if directive else ""
        depth += word in ("if", "ifdef", "ifndef")
        depth -= word == "endif"
        if word == "include":
            sometimes = at
            always = at if depth == 0 else always
    if sometimes < 0:
        raise drift(hunk, patch, number, "there is no #include before the first declaration")
    return always if always >= 0 else sometimes


def _line_start(text: str, at: int) -> int:
    """Return the start of the line of `at`, or `at` if code precedes it on its line."""
    start = text.rfind("\n", 0, at) + 1
    return at if without_comments(text)[start:at].strip() else start


def _line_end(text: str, at: int) -> int:
    """Return the start of the next line, or `at` if code follows it on its line."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    return at if without_comments(text)[at:end].strip() else min(end + 1, len(text))


def _spliced(text: str, start: int, end: int, new: str) -> str:
    """Return `text` with the whole lines `new` from offset `start` to `end`, also inside a line."""
    before = text[:start]
    if new and before and not before.endswith("\n"):
        before += "\n"
    return before + new + text[end:]


def _splits_directive(text: str, at: int) -> bool:
    """Return whether a line break at the offset `at` would split a preprocessor line."""
    start = text.rfind("\n", 0, at) + 1
    if start == at:
        return False
    return text[start:at].lstrip().startswith("#") or text[: max(start - 1, 0)].endswith("\\")


def _explain(hunk: Hunk, text: str, scope: _Scope, found: list[Range]) -> str:
    wanted = "\n".join(f"    {line}" for line in hunk.anchor)
    if found:
        where = ", ".join(str(text.count("\n", 0, start) + 1) for start, _ in found)
        return f"the anchor is there {len(found)} times (lines {where}):\n{wanted}"
    lines = text.splitlines()
    first = text.count("\n", 0, scope.start)
    last = text.count("\n", 0, scope.end)
    size = len(hunk.anchor)
    goal = "\n".join(map(_squeeze, hunk.anchor))
    best, score = first, 0.0
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(goal)
    for i in range(first, max(first + 1, last - size + 1)):
        matcher.set_seq1("\n".join(map(_squeeze, lines[i : i + size])))
        if matcher.real_quick_ratio() > score and matcher.quick_ratio() > score:
            ratio = matcher.ratio()
            if ratio > score:
                best, score = i, ratio
    near = "\n".join(f"    {line}" for line in lines[best : best + size])
    return f"expected\n{wanted}\n  nearest, line {best + 1} ({score:.0%} alike)\n{near}"


def _squeeze(line: str) -> str:
    """Return `line` with runs of blanks replaced by one blank, to compare it with nearby text."""
    return re.sub(r"\s+", " ", line).strip()


def drift(hunk: Hunk, patch: str, number: int, detail: str) -> PatchDrift:
    """Return the error of a hunk that does not fit, with its file and function."""
    inside = f", in {hunk.inside}" if hunk.inside else ""
    return PatchDrift(
        f"patch {patch or '?'}, hunk {number}: {hunk.file}{inside}: {detail}",
        hint="`porter patch check` shows all of them; see docs/reference/patches.md.",
        patch=patch,
        file=hunk.file,
    )
