"""Output in an encoding that lacks most characters, and empty values of arguments."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from porter.cli import execute, group
from porter.pipeline import Build

PROGRAM = 'print("\u00e9 \u2603 \U0001f600")\nraise ValueError("\u2603")\n'
PRINTED = "\u00e9 \u2603 \U0001f600\n".encode()


def porter(*arguments: str, encoding: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONIOENCODING": encoding, **variables}
    return subprocess.run(
        [sys.executable, "-m", "porter", *arguments],
        env=environment, capture_output=True, check=False, timeout=100,
    )  # fmt: skip


@pytest.mark.parametrize("encoding", ["latin-1", "ascii:strict", "cp1252", "utf-8"])
def test_what_programs_print_stays_as_it_is(built: Build, tmp_path: Path, encoding: str) -> None:
    (tmp_path / "p.py").write_text(PROGRAM, encoding="utf-8")
    done = porter(
        "run", str(tmp_path / "p.py"), "-n", "3", "--target", "host",
        "--build", str(built.folder), encoding=encoding,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (41, PRINTED)
    assert "ValueError: \u2603\n".encode() in done.stderr
    assert b"internal error" not in done.stderr


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_what_the_encoding_lacks_is_escaped(encoding: str) -> None:
    done = porter("regress", "\u2603", encoding=encoding)
    assert done.returncode != 70 and b"internal error" not in done.stderr
    assert b"\\u2603" in done.stdout + done.stderr
    done = porter("releases", encoding=encoding, COLUMNS="40")
    assert done.returncode == 0, done.stderr


def test_bytes_of_a_file_name_stay_as_they_are() -> None:
    name = os.fsdecode(b"no-such-\xff")
    for encoding in ("utf-8", "latin-1"):
        done = porter("evaluate", name, encoding=encoding)
        assert done.returncode == 2 and b"internal error" not in done.stderr


def commands(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Return the path of each command without subcommands."""
    if not isinstance(command, click.Group):
        yield path
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from commands(found, (*path, name))


def command_at(path: tuple[str, ...]) -> click.Command:
    command: click.Command = group
    for name in path:
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), name)
        assert found is not None
        command = found
    return command


ALL = list(commands(group, ()))


@pytest.mark.parametrize("path", ALL, ids="-".join)
def test_an_empty_argument_names_nothing(
    path: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    command = command_at(path)
    wanted = [one for one in command.params if isinstance(one, click.Argument) and one.required]
    for param in command.params:
        if isinstance(param, click.Argument):
            others = ["x"] * wanted.index(param) if param in wanted else ["x"] * len(wanted)
            given = [*others, "", *["x"] * (len(wanted) - len(others) - 1)]
        elif isinstance(param.type, click.Path):
            given = [param.opts[0], "", *["x"] * len(wanted)]
        else:
            continue
        assert execute([*path, *given]) == 2, (path, given)
        said = capfd.readouterr().err
        assert "empty text" in said or "does not exist" in said, said


def test_every_command_was_asked() -> None:
    assert {("run",), ("regress",), ("fs", "build"), ("evaluate",)} <= set(ALL)
