"""The commands of the REPL: lines that begin with %."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from attrs import frozen
from rich.console import Console

from porter.base.arguments import utf8
from porter.base.sizes import format_size
from porter.errors import FileProblem, UsageError
from porter.repl.picture import pixels, save_png, sketch
from porter.repl.prompter import Prompter
from porter.repl.session import Session, Times
from porter.repl.statements import inputs, split
from porter.run.streams.display import Writer

_SIZE = re.compile(r"(\d{1,9})x(\d{1,9})")
# An argument that was meant as a size, valid or not.
_MEANT = re.compile(r"(?=.*\d)[-+.\d]*x[-+.\d]*", re.IGNORECASE)
WHO = (
    "for _who in sorted(dir()):\n"
    "    if _who[0] != '_': print(_who, type(globals()[_who]).__name__)\n"
)
PICTURE = "outbuf.png"


class Entered(Protocol):
    """The part of the shell that commands use."""

    session: Session
    prompter: Prompter
    out: Console
    writer: Writer
    inputs: list[str]
    times: Times

    def enter(self, text: str) -> None:
        """Run a statement or a command, and print its output."""

    def execute(self, text: str) -> None:
        """Run a statement without recording it as an input."""

    def say(self, message: str) -> None:
        """Print a message of porter."""


@frozen
class Command:
    """A command: its arguments as help shows them, its help text, and its implementation."""

    usage: str
    text: str
    run: Callable[[Entered, str], None]


def _help(shell: Entered, rest: str) -> None:
    shell.writer.fresh_line()
    for name, known in COMMANDS.items():
        shell.out.print(f"{f'%{name} {known.usage}':<30}{known.text}", markup=False)
    shell.out.print("Ctrl-C interrupts all interpreters, Ctrl-D leaves.")


def _image(shell: Entered, rest: str) -> None:
    words = _words(rest)
    rgb = "rgb" in words
    words = [word for word in words if word not in ("rgb", "bgr")]
    width = height = int(shell.session.n**0.5)
    if words and (size := _SIZE.fullmatch(words[0])):
        width, height = int(size[1]), int(size[2])
        words = words[1:]
    elif words and _MEANT.fullmatch(words[0]):
        raise UsageError(f"%image: {words[0]!r} is not a size", hint="Write %image 1024x1024 FILE.")
    if len(words) > 1:
        raise UsageError(f"%image: {' '.join(words)!r}", hint="Write %image 1024x1024 FILE.")
    path = Path(words[0] if words else PICTURE).expanduser()
    picture = pixels(shell.session.device.host(shell.session.outbuf), width, height, rgb=rgb)
    save_png(picture, path)
    if shell.out.is_terminal:
        sketch(picture, shell.out)
    shell.say(f"{path}: {width}x{height} pixels")


def _reset(shell: Entered, rest: str) -> None:
    shell.session.reset()
    shell.say(f"{shell.session.n:,} fresh interpreters")


def _time(shell: Entered, rest: str) -> None:
    shell.enter(rest + "\n")
    times = shell.times
    shell.say(f"launch {times.device:.4f} s, merging {times.merge:.4f} s")


def _who(shell: Entered, rest: str) -> None:
    shell.execute(WHO)
    shell.execute("del _who\n")


def _load(shell: Entered, rest: str) -> None:
    path = Path(_one(rest, "load")).expanduser()
    try:
        text = path.read_text("utf-8-sig", "surrogateescape")
    except OSError as error:
        raise FileProblem(f"{path}: {error.strerror}") from error
    for statement in split(inputs(text), shell.prompter.continues):
        shell.enter(statement)


def _save(shell: Entered, rest: str) -> None:
    path = Path(_one(rest, "save")).expanduser()
    try:
        path.write_bytes(utf8("".join(shell.inputs)))
    except OSError as error:
        raise FileProblem(f"{path}: {error.strerror}") from error
    shell.say(f"{path}: {len(shell.inputs)} inputs")


def _memory(shell: Entered, rest: str) -> None:
    session = shell.session
    each = session.bytes_each
    shell.say(f"{format_size(each)} an interpreter, {format_size(each * session.n)} in all")


COMMANDS = {
    "help": Command("", "these commands", _help),
    "image": Command("[WxH] [FILE] [rgb]", f"outbuf as a picture, saved to {PICTURE}", _image),
    "load": Command("FILE", "run a file's statements, or a transcript's", _load),
    "memory": Command("", "what the interpreters take", _memory),
    "reset": Command("", "start all interpreters afresh", _reset),
    "save": Command("FILE", "write the statements entered so far to a file", _save),
    "time": Command("STATEMENT", "run it, and say how long launch and merging took", _time),
    "who": Command("", "names that interpreters have, and their types", _who),
}


def command(shell: Entered, line: str) -> None:
    """Run the command in `line`, such as `%image 32x32`.

    Raises:
        UsageError: There is no such command, or its arguments are wrong.
        PorterError: The command failed.
    """
    name, _, rest = line[1:].strip().partition(" ")
    if name not in COMMANDS:
        raise UsageError(f"%{name}: there is no such command", hint="%help shows them.")
    COMMANDS[name].run(shell, rest.strip())


def _words(rest: str) -> list[str]:
    try:
        return shlex.split(rest)
    except ValueError as error:
        raise UsageError(f"{rest}: {error}") from error


def _one(rest: str, name: str) -> str:
    words = _words(rest)
    if len(words) != 1:
        raise UsageError(f"%{name}: one file is wanted", hint=f"Write %{name} FILE.")
    return words[0]
