"""Execute `%%gpusnek` cells and `%gpusnek` lines."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import define, field

from porter.array import Outcome
from porter.errors import InterpreterError, LaunchFailed, PorterError, UsageError
from porter.notebook import cell_program
from porter.notebook.bindings import named, wanted
from porter.notebook.cell_program import CellProgram
from porter.notebook.named_interpreters import CellInterpreters, InterpretersKept, Kept
from porter.notebook.options import MAGIC, SQUARE, Request, help_text, parse, split_line
from porter.notebook.pane import Pane, show_outbuf
from porter.notebook.tracebacks import Excerpts
from porter.repl.shell import interrupting
from porter.run import Cancel
from porter.run.advice import advice, limit_hint
from porter.run.streams.display import Live


class CellInterrupted(KeyboardInterrupt):
    """Kernel > Interrupt during a cell; `outcome` is the interpreters' state and output then."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__("the interpreters are ready for the next cell")
        self.outcome = outcome


@define
class Cells:
    """The magics of one IPython shell, and the interpreters that persist from cell to cell.

    Attributes:
        shell: The IPython shell.
        kept: The interpreters.
        sources: The texts of cells, by their file names in tracebacks.
    """

    shell: Any
    kept: Kept = field(factory=Kept)
    sources: dict[str, str] = field(factory=dict)

    def cell(self, line: str, body: str) -> None:
        """Execute `%%gpusnek LINE` with `body` below. Raises PorterError, KeyboardInterrupt."""
        with self._reported():
            self._run(_words(line), cell_program.of_cell(self._count, f"%%{MAGIC} {line}", body))

    def line(self, line: str) -> InterpretersKept | None:
        """Execute `%gpusnek LINE`: options, then code. An empty line returns the interpreters."""
        with self._reported():
            words, code = split_line(line)
            words = [self.shell.var_expand(word, depth=3) for word in words]
            self._run(words, cell_program.of_line(self._count, code) if code else None)
        if words or code:
            return None
        return InterpretersKept({name: one.array for name, one in self.kept.entries.items()})

    @property
    def _count(self) -> int:
        """The number displayed beside the cell."""
        return int(self.shell.displayhook.prompt_count)  # execution_count is ahead in some releases

    def _run(self, words: list[str], cell: CellProgram | None) -> None:
        request = parse(words)
        if request is None:
            print(help_text())
        elif request.close:
            if cell is not None:
                raise UsageError(
                    "--close: there is code to run", hint="Close in a line of its own."
                )
            count = self.kept.drop(request.name)
            print(f"{count:,} interpreters have ended")
        elif words or cell:
            self._go(request, cell)

    def _go(self, request: Request, cell: CellProgram | None) -> None:
        given = wanted(request, self.shell.user_ns)
        for name in request.get:
            named("--get", name)
        stdin = _read(request.stdin_file)
        array, told = self.kept.obtain(request.name, request.making, fresh=request.reset)
        pane = Pane(array.n, moving=getattr(self.shell, "kernel", None) is not None)
        if told:
            pane.note(told)
        for one in given:
            one.bind(array)
        image = request.image
        if cell is not None:
            self.sources[cell.name] = cell.source
            self._execute(array, request, cell, pane, stdin)
            image = image or (SQUARE if cell.picture else None)
        if image is not None:
            show_outbuf(array, image)
        for name in request.get:
            self.shell.push({name: array.get(name)})

    def _execute(
        self,
        array: CellInterpreters,
        request: Request,
        cell: CellProgram,
        pane: Pane,
        stdin: bytes,
    ) -> None:
        """Run a cell and show its output.

        Raises:
            InterpreterError: A program raised an exception.
            CellInterrupted: The user interrupted the cell.
            LaunchFailed: The launch failed; these interpreters have ended.
        """
        code = array.compile(cell.program, cell.name)
        cancel = Cancel()
        options: dict[str, Any] = {"cancel": cancel, "stdin": stdin, "on_progress": pane.progress}
        live = Live(array.n, pane.live, request.max_groups) if request.live else None
        if live is not None:
            options |= {"console": "ring", "on_output": live}
        limits = {name: getattr(request, name) for name in ("timeout", "max_steps", "deadline")}
        pane.start()
        try:
            with interrupting(cancel):
                outcome = array.run_cell(code, limits, **options)
                if live is not None:
                    live.finish()
                pane.finish(outcome, max_groups=request.max_groups)
        except LaunchFailed as error:
            self.kept.drop(request.name)
            error.hint = "These interpreters have ended; the next cell makes new ones."
            raise
        if cancel.asked:
            raise CellInterrupted(outcome)
        try:
            outcome.check()
        except InterpreterError as error:  # its own hint names arguments of the Python API
            hints = (advice(outcome.lacks, array.n), limit_hint(outcome.limited))
            error.hint = " ".join(filter(None, hints)) or None
            raise

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Show errors that pass without the frames of porter."""
        try:
            yield
        except PorterError as error:
            _show_as(error, Excerpts(self.sources).error(error))
            raise
        except KeyboardInterrupt as error:
            lines: list[str] = []
            if isinstance(error, CellInterrupted):
                lines = Excerpts(self.sources).raised(error.outcome.exceptions)
            _show_as(error, [*lines, f"KeyboardInterrupt: {error}".removesuffix(": ")])
            raise


def _show_as(error: BaseException, lines: list[str]) -> None:
    """Make IPython display `lines` for `error`."""
    error._render_traceback_ = lambda: lines  # type: ignore[attr-defined]


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise UsageError(f"{line}: {error}") from error


def _read(file: str | None) -> bytes:
    if file is None:
        return b""
    try:
        return Path(file).expanduser().read_bytes()
    except OSError as error:
        raise UsageError(f"--stdin-file {file}: {error.strerror}") from error
