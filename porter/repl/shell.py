"""Run inputs of a session, typed, piped or pasted, and print their outputs.

`feed` runs inputs from a file or a pipe: no prompts, no echo, outputs only.
"""

from __future__ import annotations

import codecs
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

from attrs import define, field
from rich.console import Console
from rich.text import Text

from porter.errors import LaunchFailed, PorterError
from porter.repl.commands import command
from porter.repl.prompter import Prompter
from porter.repl.session import Answer, Session, Times
from porter.repl.statements import Statements, unprompted
from porter.run import Cancel, Stream
from porter.run.streams.display import Writer, render

WORDS = {
    "GPUSNEK_STATUS_CANARY": "wrote past the end of its memory (a stack or the heap overran)",
    "GPUSNEK_STATUS_ABORT": "failed an assertion of its own code",
    "GPUSNEK_STATUS_OUT_OF_BOUNDS": "accessed memory outside its own and failed a bounds check",
    "GPUSNEK_STATUS_NO_MEMORY": "had no memory to run in",
    "GPUSNEK_STATUS_MOVED": "was not where the build assumed it",
    "GPUSNEK_STATUS_NOT_RUN": "was not reached",
}


@contextmanager
def interrupting(cancel: Cancel) -> Iterator[None]:
    """Make Ctrl-C ask `cancel` inside the block, without a KeyboardInterrupt."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def asked(number: int, frame: FrameType | None) -> None:
        cancel()

    before = signal.signal(signal.SIGINT, asked)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@define
class Shell:
    """Runs inputs and prints their outputs.

    Attributes:
        session: The interpreters.
        out: The console for outputs.
        err: The console for porter's messages.
        max_groups: The maximum of different outputs to print; None for all.
        failed: Whether any input ended with an uncaught exception.
        exit_code: The exit code of the process.
        inputs: All inputs so far.
        times: The times of the last input.
    """

    session: Session
    out: Console
    err: Console
    max_groups: int | None = 20
    failed: bool = False
    exit_code: int = 0
    inputs: list[str] = field(factory=list)
    times: Times = field(factory=Times)
    prompter: Prompter = field(init=False)
    writer: Writer = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.writer = Writer(self.out)
        self.prompter = Prompter(self.session)

    @property
    def over(self) -> bool:
        """Whether no interpreter is live."""
        return not self.session.live.any()

    def enter(self, text: str) -> None:
        """Run one statement, or a command that begins with %, and print its output.

        A command's error is printed.

        Raises:
            LaunchFailed: A command's launch failed, and the session cannot continue.
        """
        if self.over:
            return
        if text.startswith("%"):
            try:
                command(self, text)
            except PorterError as error:
                if isinstance(error, LaunchFailed):
                    raise
                self.failed = True
                self.say(error.message, error.hint)
            return
        self.inputs.append(text)
        self.execute(text)

    def execute(self, text: str, *, kind: str = "single", name: str | None = None) -> None:
        """Run `text` in all interpreters and print the groups of outputs."""
        with interrupting(self.session.cancel):
            names = {} if name is None else {"name": name}
            answer = self.session.execute(text, kind=kind, **names)
            start = time.monotonic()
            for stream in answer.outputs:
                _ = stream.groups  # merge here, where Ctrl-C does not abort it
            self.times = Times(answer.result.seconds, time.monotonic() - start)
        self.failed = self.failed or answer.failed > 0
        for stream in answer.outputs:
            self.show(stream)
        self._tell(answer)

    def show(self, stream: Stream) -> None:
        """Print a stream's groups, unless all are empty or nothing is captured."""
        if not stream.longest or not stream.size:
            return
        self.writer.write(render(stream.groups, max_groups=self.max_groups, n=len(stream)))

    def say(self, message: str, hint: str | None = None) -> None:
        """Print a message of porter."""
        self.own_line()
        self.err.print(Text(f"porter: {message}", style="yellow"), soft_wrap=True)
        if hint:
            self.err.print(Text(f"porter: hint: {hint}", style="yellow"), soft_wrap=True)

    def own_line(self) -> None:
        """On a terminal, end a line that a program left open, before porter's own text."""
        if self.out.is_terminal:
            self.writer.fresh_line()

    def finish(self) -> None:
        """End the live interpreters and print the output of their exit functions."""
        if self.over:
            return
        with interrupting(self.session.cancel):
            answer = self.session.close()
        for stream in answer.outputs:
            self.show(stream)

    def _tell(self, answer: Answer) -> None:
        """Print messages about stopped, broken and ended interpreters."""
        if answer.stopped:
            self.say(
                f"{_many(answer.stopped)} did not end when interrupted: stopped hard, and ready "
                "for the next line"
            )
        for limited in answer.limited:
            self.say(f"{_many(limited.count)} {limited.what}: stopped, and ready for the next line")
        for lack in answer.result.lacks:
            self.say(lack.advice(len(answer.which)))
        for name, count in answer.broken.items():
            self.say(f"{_many(count)} broke: each {WORDS.get(name, name)}")
            self.failed = True
        if answer.exited:
            self.exit_code = self.exit_code or answer.exit_code
            self.say(f"{_many(answer.exited)} ended by SystemExit")
        if answer.exited or answer.broken:
            self.say(f"{_many(int(self.session.live.sum()))} left of {self.session.n:,}")


def _many(count: int) -> str:
    return f"{count:,} interpreter{'' if count == 1 else 's'}"


def feed(shell: Shell, lines: Iterable[str]) -> None:
    """Run `lines` as they arrive, each statement as soon as it is complete."""
    statements = Statements(shell.prompter.continues)
    for line in lines:
        for text in statements.feed(unprompted(line.rstrip("\r\n"))):
            shell.enter(text)
        if shell.over:
            return
    for text in statements.flush():
        shell.enter(text)


def read_lines(file: Iterable[bytes]) -> Iterator[str]:
    """Yield the lines of a binary `file`. Bytes that are not UTF-8 are kept (see `utf8`)."""
    for number, line in enumerate(file):
        mark = codecs.BOM_UTF8 if number == 0 else b""
        yield line.removeprefix(mark).decode("utf-8", "surrogateescape")
