"""Find the program in a model's answer: the last code block, or the whole text."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from porter.errors import WrongType

_FENCE = re.compile(r"^([ \t>]*)(`{3,}|~{3,})[ \t]*([^\s`]*)[^`\n]*$")
# Columns. A fence that stands this far to the right of the opening fence belongs to the program.
INDENTED = 4
PYTHON = ("python", "py", "python3", "python2", "py3")
_THOUGHT = "</think>"  # ends the reasoning of models that show it


def program_of(answer: Any) -> str:
    """Return the program in an answer.

    The last complete block with a Python tag counts; without one, the last complete block without a
    tag. A block that the answer does not close counts if there is no complete one. An answer
    without a block is a program. Text before the last `</think>` is ignored.

    Args:
        answer: A text; or chat messages, of which the assistant's last one has the text.

    Raises:
        WrongType: It is neither.
    """
    text = text_of(answer).removeprefix("\ufeff")
    text = text[text.rfind(_THOUGHT) + len(_THOUGHT) :] if _THOUGHT in text else text
    blocks = _blocks(text)
    for closed in (True, False):
        for tags in (PYTHON, ("",)):
            for tag, body, complete in reversed(blocks):
                if complete == closed and tag in tags:
                    return textwrap.dedent(body)
    return text


def text_of(answer: Any) -> str:
    """Return the text of an answer: a str, or the content of the assistant's last message."""
    if isinstance(answer, str):
        return answer
    if isinstance(answer, Mapping):
        content = answer.get("content")
        if content is None:
            return ""
        if isinstance(content, str):
            return content
        if isinstance(content, Sequence):
            return "".join(part.get("text") or "" for part in content if isinstance(part, Mapping))
    elif isinstance(answer, Sequence) and not isinstance(answer, bytes | bytearray):
        own = [one for one in answer if isinstance(one, Mapping) and one.get("role") == "assistant"]
        return text_of((own or list(answer))[-1]) if answer else ""
    raise WrongType(
        f"answer: {type(answer).__name__} is neither a text nor a list of chat messages"
    )


def _blocks(text: str) -> list[tuple[str, str, bool]]:
    """Return the tag, the lines, and whether it is closed, of each block."""
    found: list[tuple[str, str, bool]] = []
    lines: list[str] = []
    fence, tag, indent = "", "", 0
    for line in text.split("\n"):
        match = _FENCE.match(line)
        if not fence:
            if match:
                fence, tag, lines = match[2], match[3].lower().strip("{}."), []
                indent = len(match[1].expandtabs())
        elif (
            match
            and match[2].startswith(fence)
            and line.strip(" \t>\r") == match[2]
            and len(match[1].expandtabs()) < indent + INDENTED
        ):
            found.append((tag, "\n".join(lines) + "\n", True))
            fence = ""
        else:
            lines.append(line)
    if fence:
        found.append((tag, "\n".join(lines) + "\n", False))
    return found
