"""Parse transcripts: inputs after prompts and their outputs, as in the paper's Figure 5."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from porter.repl.statements import PROMPTS, unprompted

PRIMARY, CONTINUED = (prompt.rstrip() for prompt in PROMPTS)


@frozen
class Exchange:
    """An input (lines without prompts) and the text printed after it."""

    source: str
    printed: str


def exchanges(text: str) -> Iterator[Exchange]:
    """Yield the inputs of a transcript with their outputs; text before the first is left out."""
    source: list[str] = []
    printed: list[str] = []
    for line in text.splitlines():
        if line.startswith(PRIMARY) and unprompted(line).strip():
            if source:
                yield _exchange(source, printed)
            source, printed = [unprompted(line)], []
        elif line.startswith(CONTINUED) and source and not printed:
            source.append(unprompted(line))
        elif source and line.rstrip() != PRIMARY:
            printed.append(line)
    if source:
        yield _exchange(source, printed)


def _exchange(source: list[str], printed: list[str]) -> Exchange:
    return Exchange("\n".join(source) + "\n", "".join(line + "\n" for line in printed))


def inputs(text: str) -> str:
    """Return `text`, or the inputs in it if it is a transcript, as one program."""
    if not any(line.startswith(PROMPTS[0]) for line in text.splitlines()):
        return text
    return "".join(exchange.source for exchange in exchanges(text))
