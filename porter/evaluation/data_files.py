"""Read programs and cases from files, and write results as JSON lines or Parquet.

Results have a row for each case of each program.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from attrs import define, field, frozen

from porter.base.files import replacing
from porter.base.sizes import format_size
from porter.base.untrusted import printable, printable_text, repr_of
from porter.errors import FileProblem, MissingPackage, PorterError, UsageError
from porter.evaluation.cases import Cases
from porter.evaluation.formats import OWN, detect, tasks, tested
from porter.evaluation.judgement import Judgement
from porter.evaluation.options import entry_of
from porter.evaluation.status import RETURNED, CaseStatus
from porter.evaluation.unsupported import Cause

PROGRAM_KEYS = ("source", "id", "cases", "entry", "test")
HINT = (
    'A line is a text, or {"source": text, "id": name, "cases": [...], "entry": name, '
    '"test": text}.'
)
MAX_LINE = 64 << 20  # bytes of a JSON line
MOST_PROBLEMS = 20  # messages about lines that are no programs
AUTO = "auto"  # the format of each line, by its keys


@define
class Problems:
    """Lines that are no programs. They do not end an evaluation of the other lines.

    Attributes:
        messages: A message for each line, with file and line; at most MOST_PROBLEMS.
        count: The number of lines.
    """

    messages: list[str] = field(factory=list)
    count: int = 0

    def add(self, message: str) -> None:
        """Add the problem of one line."""
        self.count += 1
        if len(self.messages) < MOST_PROBLEMS:
            self.messages.append(printable(message))

    def check(self) -> None:
        """Raise UsageError if there is a problem."""
        if self.count:
            more = self.count - len(self.messages)
            texts = [*self.messages, *([f"and {more} lines more"] if more else [])]
            raise UsageError("\n".join(texts), hint=HINT)


@frozen
class NamedProgram:
    """A program with its name in results.

    Attributes:
        name: The name.
        source: The source.
        cases: The program's own cases; None: the shared ones.
        entry: The function that the cases call; empty: the evaluation's.
    """

    name: str
    source: str | bytes
    cases: Cases | None = None
    entry: str = ""


def read_programs(
    path: Path, form: str = AUTO, problems: Problems | None = None
) -> Iterator[NamedProgram]:
    """Yield the programs in `path` lazily.

    A folder has one program per *.py file, named by its path in the folder. A file has lines of a
    format of `formats`.

    Args:
        path: The folder or file.
        form: The format of a file; AUTO: detected from each line.
        problems: Receives the lines that are no programs; None: the first one raises.

    Raises:
        FileProblem: The path cannot be read.
        UsageError: A line is invalid; the message has file and line.
    """
    if path.is_dir():
        yield from _folder(path)
        return
    for number, line in _raw_lines(path):
        place = f"{path}:{number}"
        try:
            found = _programs(_loads(line, place), place, str(number - 1), form)
        except PorterError as error:
            if problems is None:
                raise
            problems.add(str(error))
        else:
            yield from found


def count_programs(path: Path) -> int | None:
    """Return the number of programs in a folder; None for a file, which would have to be read."""
    return len(_files(path)) if path.is_dir() else None


def read_cases(path: Path) -> list[Any]:
    """Read the cases in the lines of `path`. Raises FileProblem, UsageError."""
    return [value for _, value in json_lines(path)]


def json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield the number (from 1) and the value of each non-blank line.

    Raises:
        FileProblem: The file cannot be read.
        UsageError: A line is not JSON.
    """
    for number, line in _raw_lines(path):
        yield number, _loads(line, f"{path}:{number}")


def _raw_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the bytes of each non-blank line; of a long line, MAX_LINE + 1 bytes."""
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(MAX_LINE + 1):
                number += 1
                part = line
                while len(part) > MAX_LINE and not part.endswith(b"\n"):
                    part = file.readline(MAX_LINE + 1)
                if line.strip():
                    yield number, line
    except OSError as error:
        raise FileProblem(f"{path}: {error.strerror}") from error


def _loads(line: bytes, place: str) -> Any:
    if len(line) > MAX_LINE:
        raise UsageError(f"{place}: this line is longer than {format_size(MAX_LINE)}")
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{place}: this line is not JSON: {error}") from error


def _files(path: Path) -> list[Path]:
    return sorted(file for file in path.rglob("*.py") if file.is_file())


def _folder(path: Path) -> Iterator[NamedProgram]:
    files = _files(path)
    if not files:
        raise FileProblem(f"{path}: there is no .py file in this folder")
    for file in files:
        try:
            yield NamedProgram(file.relative_to(path).as_posix(), file.read_bytes())
        except OSError as error:
            raise FileProblem(f"{file}: {error.strerror}") from error


def _programs(value: Any, place: str, name: str, form: str) -> list[NamedProgram]:
    form = detect(value) if form == AUTO else form
    if form == OWN:
        return [_own(value, place, name)]
    try:
        found = tasks(value, form, name)
    except PorterError as error:
        raise UsageError(f"{place}: {error}", hint=error.hint) from error
    return [
        NamedProgram(task.name, task.source, Cases.of(task.cases, f"{place}, cases"), task.entry)
        for task in found
    ]


def _own(value: Any, place: str, name: str) -> NamedProgram:
    """Return the program of a line of porter's own format."""
    if isinstance(value, str):
        return NamedProgram(name, value)
    if not isinstance(value, dict) or not isinstance(value.get("source"), str):
        raise UsageError(f"{place}: there is no program in this line", hint=HINT)
    if unknown := [key for key in value if key not in PROGRAM_KEYS]:
        raise UsageError(f"{place}: {unknown[0]!r} is not one of {', '.join(PROGRAM_KEYS)}")
    cases, test, entry = (value.get(key) for key in ("cases", "test", "entry"))
    source = value["source"]
    if cases is not None and not isinstance(cases, list):
        raise UsageError(f"{place}: cases are a list")
    if test is not None:
        if not isinstance(test, str) or cases is not None:
            raise UsageError(f"{place}: test is a text, in a line without cases")
        task = tested(source, test)
        source, cases = task.source, task.cases
    try:
        entry = "" if entry is None else entry_of(entry)
    except PorterError as error:
        raise UsageError(f"{place}: {error}") from error
    encoded = None if cases is None else Cases.of(cases, f"{place}, cases")
    own = value.get("id")
    return NamedProgram(name if own is None else str(own), source, encoded, entry)


SUFFIXES = (".jsonl", ".parquet")
KEPT = {
    "outputs": "output",
    "values": "value",
    "tracebacks": "traceback",
    "exceptions": "exception",
    "stderr": "stderr",
    "exit_codes": "exit_code",
}
Columns = dict[str, list[Any]]  # the values of each column by its name


@define
class RowWriter(ABC):
    """Writes rows, one judgement at a time. The constructor opens the file.

    All methods raise FileProblem; the constructor raises MissingPackage too.

    Attributes:
        path: The file's path in messages.
        beside: The temporary file to write to.
        kept: Columns beside the standard ones.
    """

    path: Path
    beside: Path
    kept: list[str]

    def __attrs_post_init__(self) -> None:
        with _reported(self.path):
            self._open()

    def add(self, rows: Columns) -> None:
        """Write the rows of one judgement."""
        with _reported(self.path):
            self._write(rows)

    def close(self) -> None:
        """Complete the file."""
        with _reported(self.path):
            self._end()

    @abstractmethod
    def _open(self) -> None: ...

    @abstractmethod
    def _write(self, rows: Columns) -> None: ...

    @abstractmethod
    def _end(self) -> None: ...


@contextmanager
def _reported(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FileProblem(f"{path}: {error.strerror or error}") from error


def rows_of(judgement: Judgement, names: Sequence[str]) -> Columns:
    """Return the columns of a judgement: program, case, passed, status, steps, reason, kept data.

    - The reason is the cause of an UNSUPPORTED row, else Judgement.reasons; null without one. The
      parts of the cause are `lacks` (its kind), `lacks_in` (its owner) and `lacks_name`.
    - With a fallback, `engine` is the engine that judged the row: one of ENGINES.
    - Outputs and stderr are text; a byte that is not UTF-8 is written as `\\xXX`.
    - Values are their `repr`; null where nothing was returned. A value that could not be fetched is
      `<unreadable value: REASON>`.
    - Exceptions are their type and message; null in rows without an exception.

    Args:
        judgement: The judgement.
        names: The names of its programs.
    """
    counts = judgement.counts.tolist()
    status = judgement.status.tolist()
    rows: Columns = {
        "program": [name for name, count in zip(names, counts, strict=True) for _ in range(count)],
        "case": [case for count in counts for case in range(count)],
        "passed": (judgement.status == CaseStatus.PASSED).tolist(),
        "status": [CaseStatus(one).name for one in status],
        "steps": judgement.steps.tolist(),
        **_reasons_of(judgement),
    }
    if judgement.in_cpython is not None:
        rows[ENGINE] = [ENGINES[one] for one in judgement.in_cpython.tolist()]
    if judgement.outputs is not None:
        rows["output"] = [printable_text(output) for output in judgement.outputs]
    if judgement.values is not None:
        returned = np.isin(judgement.status, RETURNED).tolist()
        rows["value"] = [
            repr_of(value) if there else None
            for value, there in zip(judgement.values, returned, strict=True)
        ]
    if judgement.tracebacks is not None:
        rows["traceback"] = [
            None if traceback is None else printable(traceback)
            for traceback in judgement.tracebacks
        ]
    if judgement.exceptions is not None:
        rows["exception"] = [None if one is None else str(one) for one in judgement.exceptions]
    if judgement.stderr is not None:
        rows["stderr"] = [printable_text(written) for written in judgement.stderr]
    if judgement.exit_codes is not None:
        rows["exit_code"] = judgement.exit_codes
    return rows


def _reasons_of(judgement: Judgement) -> Columns:
    rows = range(len(judgement.status))
    causes = [judgement.causes.get(row) for row in rows]
    lacking = (judgement.status == CaseStatus.UNSUPPORTED).tolist()
    return {
        "reason": [
            _reason(causes[row] if lacking[row] else None, judgement.reasons.get(row))
            for row in rows
        ],
        "lacks": [None if cause is None else cause.kind for cause in causes],
        "lacks_in": [None if cause is None else printable(cause.owner) for cause in causes],
        "lacks_name": [None if cause is None else printable(cause.name) for cause in causes],
    }


def _reason(cause: Cause | None, reason: str | None) -> str | None:
    if cause is None:
        return reason
    return str(cause) if reason is None else f"{cause}; {reason}"


ENGINE = "engine"  # a column of evaluations with a fallback
ENGINES = ("interpreter", "cpython")
REASONS = ("reason", "lacks", "lacks_in", "lacks_name")  # columns, text or null


@contextmanager
def writing(path: Path, keep: frozenset[str], *, engine: bool = False) -> Iterator[RowWriter]:
    """Open a writer of `path`. The file is replaced atomically when the block succeeds.

    Exceptions of the block propagate, and leave the file unchanged.

    Args:
        path: The file.
        keep: The data that `evaluate` was asked to keep.
        engine: Whether the rows have the column ENGINE.

    Raises:
        UsageError: The suffix is not in SUFFIXES.
        FileProblem: The file cannot be written.
        MissingPackage: pyarrow is missing.
    """
    if path.suffix not in SUFFIXES:
        raise UsageError(
            f"{path}: results are written as {' or '.join(SUFFIXES)}", hint="Name such a file."
        )
    make = _Parquet if path.suffix == ".parquet" else _JsonLines
    with ExitStack() as stack:
        beside = stack.enter_context(replacing(path))
        columns = [ENGINE] * engine + [KEPT[name] for name in KEPT if name in keep]
        writer: RowWriter = make(path, beside, columns)
        try:
            yield writer
        except BaseException:
            with suppress(FileProblem):
                writer.close()
            raise
        writer.close()
        with _reported(path):
            stack.close()


@define
class _JsonLines(RowWriter):
    _file: Any = field(init=False)

    def _open(self) -> None:
        self._file = self.beside.open("w", encoding="utf-8")

    def _write(self, rows: Columns) -> None:
        names = list(rows)
        for values in zip(*rows.values(), strict=True):
            row = dict(zip(names, values, strict=True))
            self._file.write(printable(json.dumps(row, ensure_ascii=False)))
            self._file.write("\n")

    def _end(self) -> None:
        self._file.close()


@define
class _Parquet(RowWriter):
    _arrow: Any = field(init=False)
    _file: Any = field(init=False)
    _schema: Any = field(init=False)
    _writer: Any = field(init=False)

    def _open(self) -> None:
        try:
            import pyarrow
            import pyarrow.parquet as parquet
        except ImportError as error:
            raise _no_arrow(str(error)) from error
        kinds = {
            "program": pyarrow.string(),
            "case": pyarrow.int32(),
            "passed": pyarrow.bool_(),
            "status": pyarrow.dictionary(pyarrow.int8(), pyarrow.string()),
            "steps": pyarrow.int64(),
            **dict.fromkeys(REASONS, pyarrow.string()),
            **dict.fromkeys(self.kept, pyarrow.string()),
        }
        if "exit_code" in self.kept:
            kinds["exit_code"] = pyarrow.int32()
        self._arrow = pyarrow
        self._schema = pyarrow.schema(list(kinds.items()))
        # Open the file here: messages of pyarrow would name the temporary file.
        self._file = self.beside.open("wb")
        self._writer = parquet.ParquetWriter(self._file, self._schema)

    def _write(self, rows: Columns) -> None:
        texts = {name: _texts(values) for name, values in rows.items()}
        self._writer.write_table(self._arrow.table(texts, schema=self._schema))

    def _end(self) -> None:
        with self._file:
            self._writer.close()


def _no_arrow(why: str) -> MissingPackage:
    return MissingPackage(
        f"Parquet needs pyarrow: {why}",
        hint="pip install 'gpusnek-porter[parquet]', or write .jsonl.",
    )


def _texts(values: list[Any]) -> list[Any]:
    """Convert texts to a form that UTF-8 can encode."""
    if not values or not isinstance(next((v for v in values if v is not None), None), str):
        return values
    return [None if value is None else printable(value) for value in values]
