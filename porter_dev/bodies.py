"""Record the bodies of upstream's functions that patches replace.

A `[[replace]]` of a patch lists the bodies for which its text was written
(docs/reference/patches.md). When a release brings a new body, its maintainer compares the new
definition with the replacement, and records its digest if the replacement does the same.

    python -m porter_dev.bodies check     # list the bodies of synced releases that no patch knows
    python -m porter_dev.bodies show F    # print upstream's definitions of the function F
    python -m porter_dev.bodies record F  # add the digests for F; without F: for every function
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from attrs import evolve, frozen

from porter.base import paths
from porter.base.files import write_whole
from porter.config import CHOICES, BuildConfig
from porter.generate import Layout, generate
from porter.patches import FunctionReplacement, load_series
from porter.preprocess import preprocess
from porter.preprocess.function_replacement import definitions_of
from porter.sync.store import synced_releases

# Fields of BuildConfig that choose macros: an expanded body can differ between their values.
VARIED = ("float", "level")
WIDTH = 100  # characters of a line of a patch file


@frozen
class Body:
    """A definition of a function.

    Attributes:
        function: The function.
        patch: The patch that replaces it.
        digest: The definition's digest.
        known: Whether the patch lists the digest.
        text: The definition, preprocessed; "" if a patch has replaced it.
        where: A release and configuration that has it.
    """

    function: str
    patch: str
    digest: str
    known: bool
    text: str
    where: str


def bodies() -> Iterator[Body]:
    """Yield the definitions that synced releases have, in every configuration that may differ."""
    for release in synced_releases():
        for values in itertools.product(*(CHOICES[name] for name in VARIED)):
            choice: dict[str, Any] = dict(zip(VARIED, values, strict=True))
            config = evolve(BuildConfig(release=release), **choice)
            yield from _bodies_of(config)


def _bodies_of(config: BuildConfig) -> Iterator[Body]:
    where = f"{config.release}, {config.float} floats, level {config.level}"
    print(where, file=sys.stderr, flush=True)
    folder = paths.build_dir() / "bodies" / f"{config.release}-{config.float}-{config.level}"
    layout = Layout.of(config.release, folder)
    units = generate(config, layout)
    files = {one.file for one in units.replacements}
    chosen = evolve(units, units=tuple(unit for unit in units.units if unit.path in files))
    for unit in preprocess(layout, chosen):
        text = unit.path.read_text(encoding="utf-8", errors="surrogateescape")
        for body in unit.bodies:
            shown = ""
            if not body.known:
                for found in definitions_of(body.function, text):
                    shown = text[found.start : found.closing + 1]
            if body.digest:
                yield Body(body.function, body.patch, body.digest, body.known, shown, where)


def record(file: Path, function: str, digests: set[str]) -> None:
    """Write the digests of a function into the patch file that replaces it.

    Raises:
        ValueError: The file does not have exactly one `[[replace]]` of the function.
    """
    text = file.read_text(encoding="utf-8")
    block = re.compile(
        rf'(?m)(^function = "{re.escape(function)}"\n(?:(?!\[\[).*\n)*?)bodies = \[[^\]]*\]'
    )
    listed = ", ".join(f'"{digest}"' for digest in sorted(digests))
    line = f"bodies = [{listed}]"
    if len(line) > WIDTH:
        line = "bodies = [\n" + "".join(f'    "{digest}",\n' for digest in sorted(digests)) + "]"
    made, count = block.subn(lambda match: match[1] + line, text)
    if count != 1:
        raise ValueError(f"{file}: {function} has {count} [[replace]], not one")
    write_whole(file, made)


@click.group(help="Record the bodies of upstream's functions that patches replace.")
def group() -> None:
    """Group the commands."""


@group.command("check", help="List the bodies of synced releases that no patch knows.")
def check_command() -> None:
    """List unknown bodies and exit with 1 if there are any."""
    unknown = {(one.function, one.digest): one for one in bodies() if not one.known}
    for one in unknown.values():
        print(f"{one.patch}: {one.function}: {one.digest} ({one.where})")
    if unknown:
        sys.exit(f"{len(unknown)} bodies are not known")


@group.command("show", help="Print upstream's unknown definitions of FUNCTION.")
@click.argument("function")
def show_command(function: str) -> None:
    """Print each definition once, with a release that has it."""
    seen = set()
    for one in bodies():
        if one.function == function and one.digest not in seen:
            seen.add(one.digest)
            print(f"// {one.digest}, {one.where}{', known' if one.known else ''}\n{one.text}\n")


@group.command("record", help="Add the digests of FUNCTION, or of all functions, to the patches.")
@click.argument("function", required=False)
def record_command(function: str | None) -> None:
    """Write the patch files."""
    series = load_series()
    replacements: dict[str, tuple[Path, FunctionReplacement]] = {
        one.function: (paths.patches_dir() / patch.file, one)
        for patch in series
        for one in patch.replacements
    }
    if function is not None and function not in replacements:
        raise click.UsageError(f"no patch replaces {function}")
    found: dict[str, set[str]] = {}
    for one in bodies():
        if not one.known and function in (None, one.function):
            found.setdefault(one.function, set()).add(one.digest)
    for name, digests in found.items():
        file, known = replacements[name]
        record(file, name, digests | set(known.bodies))
        print(f"{file.name}: {name}: {len(digests)} new")


if __name__ == "__main__":
    group()
