"""Options and display of interpreters' input and output while they run."""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import attrs
import click
from attrs import frozen

from porter.cli._options import size_option
from porter.cli._types import NAME, PathType
from porter.errors import UsageError
from porter.run import Feed, Launch, Result
from porter.run.launch.options import MODES, OVERFLOWS
from porter.run.streams.display import Line, Live, Writer, note

F = TypeVar("F", bound=Callable[..., Any])
STDIN = 0  # file descriptor
PART = 1 << 16  # maximum bytes of one read


@frozen
class ConsoleOptions:
    """The user's choices of streams. A `stdin_file` of `-` is porter's own stdin."""

    mode: str
    overflow: str
    ring: int | None
    stdin_file: str | None
    stdin_dir: Path | None

    def apply(self, launch: Launch, n: int, shower: Shower) -> Launch:
        """Return `launch` with these streams. Raises UsageError."""
        changes: dict[str, Any] = {"console": self.mode, "overflow": self.overflow}
        if self.mode == "ring":
            changes["on_output"] = shower.live
        if self.ring is not None:
            changes["ring"] = self.ring
        return attrs.evolve(launch, stdin=self._stdin(n), **changes)

    def _stdin(self, n: int) -> bytes | list[bytes] | Feed:
        if self.stdin_file is not None and self.stdin_dir is not None:
            raise UsageError("give either --stdin-file or --stdin-dir")
        if self.stdin_dir is not None:
            return [_read(self.stdin_dir / str(i)) for i in range(n)]
        if self.stdin_file == "-" and self.mode == "ring":
            return feed_stdin()
        if self.stdin_file == "-":
            return sys.stdin.buffer.read()
        return b"" if self.stdin_file is None else _read(Path(self.stdin_file))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error


def feed_stdin() -> Feed:
    """Return a Feed of interpreters' input that copies porter's stdin as it arrives."""
    feed = Feed()

    def copy() -> None:
        # os.read, not sys.stdin: a thread with sys.stdin's lock at process exit is a fatal error.
        try:
            while text := os.read(STDIN, PART):
                feed.write(text)
        except (OSError, UsageError):
            pass  # stdin was closed, or the launch has ended
        feed.close()

    threading.Thread(target=copy, daemon=True).start()
    return feed


class Shower:
    """Displays the output of interpreters while they run."""

    def __init__(self, out: Writer, err: Writer, n: int, max_groups: int | None) -> None:
        self.out, self.err = out, err
        self.live = Live(n, self._write, max_groups)

    def _write(self, stream: str, lines: list[Line]) -> None:
        (self.out if stream == "stdout" else self.err).write(lines)

    def finish(self, result: Result) -> None:
        """Display remaining output, and report lost bytes."""
        self.live.finish()
        lost = 0 if result.lost is None else int(result.lost.sum())
        if lost:
            by = int((result.lost > 0).sum()) if result.lost is not None else 0
            self._write("stderr", [note(f"lost: {lost} bytes of {by} interpreters")])


def console_options(function: F) -> F:
    """Add the options of ConsoleOptions to a command, which gets them as `console`."""

    @functools.wraps(function)
    def wrapper(
        *args: Any,
        console_mode: str | None,
        live: bool,
        overflow: str,
        ring: int | None,
        stdin_file: str | None,
        stdin_dir: Path | None,
        **kwargs: Any,
    ) -> Any:
        if live and console_mode not in (None, "ring"):
            raise UsageError(f"--live means --console ring, not {console_mode}")
        mode = console_mode or ("ring" if live else "buffer")
        options = ConsoleOptions(mode, overflow, ring, stdin_file, stdin_dir)
        return function(*args, console=options, **kwargs)

    decorated: Any = wrapper
    options = [
        click.option(
            "--console",
            "console_mode",
            type=click.Choice(MODES),
            help="Output: merged at the end [buffer], by CUDA's printf, or live (ring).",
        ),
        click.option(
            "--live", is_flag=True, help="Show output while programs run: --console ring."
        ),
        click.option(
            "--overflow",
            type=click.Choice(OVERFLOWS),
            default="wait",
            show_default=True,
            help="Full ring: interpreters wait, or drop output.",
        ),
        size_option("--ring", "Size of the ring buffer of all interpreters."),
        click.option(
            "--stdin-file",
            metavar="FILE",
            type=NAME,
            help="Stdin of every interpreter; - is porter's stdin.",
        ),
        click.option(
            "--stdin-dir",
            metavar="DIR",
            type=PathType(file_okay=False, path_type=Path),
            help="Folder with one stdin per interpreter: 7 reads DIR/7.",
        ),
    ]
    for option in reversed(options):
        decorated = option(decorated)
    result: F = decorated
    return result
