"""Find in a release's sources which of the port's options it refuses and which hooks it defines.

A refused option makes the release stop with `#error`.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from attrs import frozen

from porter.base import process
from porter.errors import OptionRefused, PreprocessFailed
from porter.generate.build_paths import Layout
from porter.generate.port import Wishes, render_port
from porter.generate.preprocessor import (
    CC,
    Complaint,
    complaint,
    preprocess_error,
    preprocessor_flags,
)

CONFIG = "mpconfigport.h"

_WORD = re.compile(r"[A-Za-z_]\w*")
_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b(.*)")


@frozen
class Option:
    """A `#define` of the port: its name and its line in mpconfigport.h."""

    name: str
    line: int


def check_options(layout: Layout, defines: Sequence[str], sources: Sequence[Path]) -> None:
    """Preprocess `sources` with the port in `layout` and discard the result.

    Args:
        layout: The folders of the build.
        defines: -D options from upstream's makefiles.
        sources: Files of upstream.

    Raises:
        OptionRefused: Upstream has an `#error`; the exception names the options that cause it.
        PreprocessFailed: The preprocessor reports any other error.
    """
    output = _complaints(preprocessor_flags(layout, defines), sources)
    said = complaint(output)
    if said is None:
        return
    failed = preprocess_error(output, layout.upstream)
    if failed is None or not said.text.startswith("#error"):
        raise failed or PreprocessFailed(output)
    config = (layout.port / CONFIG).read_text(encoding="utf-8")
    concerned = _concerned(config, said)
    refused = _refuses(layout, defines, sources, said)
    # The causes: options without which the #error disappears.
    options = [one for one in concerned if not refused(without(config, one.name))]
    raise OptionRefused(
        failed.message + _blame(options, concerned),
        hint='See docs/reference/releases.md, "What a release wants from its port".',
        options=tuple(option.name for option in options),
    )


def defined_options(config: str) -> list[Option]:
    """Return the macros that the text of a mpconfigport.h defines, each once."""
    found: dict[str, Option] = {}
    for number, line in enumerate(config.splitlines(), 1):
        match = re.match(r"[ \t]*#[ \t]*define[ \t]+(\w+)", line)
        if match is not None:
            found.setdefault(match[1], Option(match[1], number))
    return list(found.values())


def conditions(text: str, line: int) -> list[str]:
    """Return the conditions of all #if and #elif around line `line` of `text`."""
    stack: list[list[str]] = []
    joined = text.replace("\\\n", " \0")  # joins continued lines; \0 keeps the count of lines
    number = 1
    for row in joined.split("\n"):
        if number >= line:
            break
        number += 1 + row.count("\0")
        match = _DIRECTIVE.match(row)
        if match is None:
            continue
        word, rest = match[1], match[2]
        if word.startswith("if"):
            stack.append([rest])
        elif word == "endif" and stack:
            stack.pop()
        elif word == "elif" and stack:
            stack[-1].append(rest)
    return [condition for group in stack for condition in group]


def without(config: str, name: str) -> str:
    """Return the text of a mpconfigport.h without the definition of the macro `name`."""
    pattern = rf"^[ \t]*#[ \t]*define[ \t]+{re.escape(name)}\b(?:.*\\\n)*.*$"
    return re.sub(pattern, "", config, flags=re.MULTILINE)


def _concerned(config: str, said: Complaint) -> list[Option]:
    """Return the port's options that appear in the #error's line or in its conditions."""
    text = said.file.read_text(encoding="utf-8", errors="replace")
    told = [*conditions(text, said.line), text.splitlines()[said.line - 1]]
    words = set(_WORD.findall(" ".join(told)))
    return [option for option in defined_options(config) if option.name in words]


def _refuses(
    layout: Layout, defines: Sequence[str], sources: Sequence[Path], said: Complaint
) -> Callable[[str], bool]:
    """Return a predicate: does the same #error stop upstream with another mpconfigport.h?"""
    folder = layout.build / "options"
    asked = [said.file] if said.file in sources else sources
    flags = ["-I", str(folder), *preprocessor_flags(layout, defines)]

    def refused(config: str) -> bool:
        folder.mkdir(exist_ok=True)
        try:
            (folder / CONFIG).write_text(config, encoding="utf-8")
            now = complaint(_complaints(flags, asked))
        finally:
            shutil.rmtree(folder)
        return now is not None and (now.file.name, now.line) == (said.file.name, said.line)

    return refused


def _complaints(flags: Sequence[str], sources: Sequence[Path]) -> str:
    # -M: prints a few lines of dependencies per file, not the whole text.
    command: list[str | Path] = [CC, "-M", *flags, "-DNO_QSTR", *sources]
    return process.run(command, timeout=600, check=False).stderr


def _blame(options: Sequence[Option], concerned: Sequence[Option]) -> str:
    named = options or concerned
    if not named:
        return "\nIt depends on no option of the port."
    rows = [f"\n  {option.name}, port/{CONFIG}:{option.line}" for option in named]
    if options:
        return "\nWithout this option of the port upstream goes on:" + "".join(rows)
    return "\nIt names these options of the port, and refuses without each of them too:" + (
        "".join(rows)
    )


@frozen
class Wants:
    """The options of the port that the release refuses, and the hooks that it defines itself."""

    refused: tuple[str, ...] = ()
    defined: tuple[str, ...] = ()


class _Everything:
    """A container of every name: the port then defines none of the hooks that it asks about."""

    def __contains__(self, name: object) -> bool:
        return True


def find_wants(
    values: Mapping[str, object],
    layout: Layout,
    templates: Path,
    defines: Sequence[str],
    sources: Sequence[Path],
) -> Wants:
    """Determine the wants of a release and render the port accordingly.

    An option in a template's `wanted` is dropped when it causes an `#error` of upstream; options
    are dropped one by one. A hook in a template's `defined` is searched for in upstream's
    preprocessed sources.

    Args:
        values: The variables of the templates (`template_values`).
        layout: The folders of the build; the rendered port stays there.
        templates: The folder of the port's templates.
        defines: -D options from upstream's makefiles.
        sources: Upstream's files.

    Raises:
        OptionRefused: Upstream refuses an option that no template asks about.
    """
    refused: list[str] = []
    while True:
        # The port defines no hook during this search.
        wishes = Wishes(refused, _Everything())
        _render(templates, values, layout, wishes)
        try:
            check_options(layout, defines, sources)
            break
        except OptionRefused as error:
            more = [name for name in error.options if name in wishes.asked_options]
            if not more:
                raise
            refused.append(more[0])
    defined = _defined(wishes.asked_hooks, layout, defines, sources)
    _render(templates, values, layout, Wishes(refused, defined))
    return Wants(tuple(refused), tuple(sorted(defined)))


def _render(templates: Path, values: Mapping[str, object], layout: Layout, wishes: Wishes) -> None:
    shutil.rmtree(layout.port, ignore_errors=True)
    render_port(templates, values, layout.port, wishes)


def _defined(
    hooks: Iterable[str], layout: Layout, defines: Sequence[str], sources: Sequence[Path]
) -> set[str]:
    """Return the functions among `hooks` that the preprocessed `sources` define."""
    wanted = set(hooks)
    if not wanted:
        return set()
    words = re.compile(r"\b(?:" + "|".join(map(re.escape, sorted(wanted))) + r")\b")
    flags = preprocessor_flags(layout, defines)
    from porter.syntax.parser import functions_defined  # libclang, missing on runners

    found: set[str] = set()
    for source in sources:
        if words.search(source.read_text(encoding="utf-8", errors="replace")):
            text = process.run([CC, "-E", *flags, "-DNO_QSTR", source], timeout=300).stdout
            found |= wanted & functions_defined(text)
    return found
