"""Results as a file: JSON lines, or Parquet. A row for each case of each program."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from attrs import define, field

from porter.base.files import replacing
from porter.errors import FileProblem, MissingPackage, UsageError
from porter.evaluation.judgement import Judgement
from porter.evaluation.status import CaseStatus

SUFFIXES = (".jsonl", ".parquet")
KEPT = {"outputs": "output", "values": "value", "tracebacks": "traceback"}
Columns = dict[str, list[Any]]  # a column's values by its name


class RowWriter(Protocol):
    """Takes the rows of one judgement after the other."""

    def add(self, rows: Columns) -> None:
        """Write these rows."""

    def close(self) -> None:
        """Nothing follows."""


def rows_of(judgement: Judgement, names: Sequence[str]) -> Columns:
    """The columns of a judgement: program, case, passed, status, steps, and what was kept.

    names: of its programs. Outputs are text, a byte that is no UTF-8 replaced; values are their
    `repr`, null where nothing was returned.
    """
    counts = judgement.counts.tolist()
    status = judgement.status.tolist()
    rows: Columns = {
        "program": [name for name, count in zip(names, counts, strict=True) for _ in range(count)],
        "case": [case for count in counts for case in range(count)],
        "passed": (judgement.status == CaseStatus.PASSED).tolist(),
        "status": [CaseStatus(one).name for one in status],
        "steps": judgement.steps.tolist(),
    }
    if judgement.outputs is not None:
        rows["output"] = [output.decode("utf-8", "replace") for output in judgement.outputs]
    if judgement.values is not None:
        returned = np.isin(judgement.status, (CaseStatus.PASSED, CaseStatus.WRONG)).tolist()
        rows["value"] = [
            repr(value) if there else None
            for value, there in zip(judgement.values, returned, strict=True)
        ]
    if judgement.tracebacks is not None:
        rows["traceback"] = list(judgement.tracebacks)
    return rows


@contextmanager
def writing(path: Path, keep: frozenset[str]) -> Iterator[RowWriter]:
    """A writer of `path`, which appears whole at the block's end, or stays as it was.

    keep: what `evaluate` was asked to keep. Raises UsageError for another suffix than SUFFIXES,
    FileProblem, MissingPackage.
    """
    if path.suffix not in SUFFIXES:
        raise UsageError(
            f"{path}: results are written as {' or '.join(SUFFIXES)}", hint="Name such a file."
        )
    make = _Parquet if path.suffix == ".parquet" else _JsonLines
    try:
        with replacing(path) as beside:
            writer: RowWriter = make(beside, [KEPT[name] for name in KEPT if name in keep])
            with closing(writer):
                yield writer
    except OSError as error:
        raise FileProblem(f"{error.filename or path}: {error.strerror or error}") from error


@define
class _JsonLines:
    path: Path
    kept: list[str]
    _file: Any = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._file = self.path.open("w", encoding="utf-8")

    def add(self, rows: Columns) -> None:
        names = list(rows)
        for values in zip(*rows.values(), strict=True):
            row = dict(zip(names, values, strict=True))
            self._file.write(
                json.dumps(row, ensure_ascii=False).encode("utf-8", "replace").decode()
            )
            self._file.write("\n")

    def close(self) -> None:
        self._file.close()


@define
class _Parquet:
    """Loads pyarrow with the first rows, for a host twin that is loaded after it may find no room
    for its thread-local variables in the process."""

    path: Path
    kept: list[str]
    _arrow: Any = field(init=False, default=None)
    _schema: Any = field(init=False, default=None)
    _writer: Any = field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        if importlib.util.find_spec("pyarrow") is None:
            raise _no_arrow("it is not installed")
        self.path.touch()

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
            **dict.fromkeys(self.kept, pyarrow.string()),
        }
        self._arrow = pyarrow
        self._schema = pyarrow.schema(list(kinds.items()))
        self._writer = parquet.ParquetWriter(str(self.path), self._schema)

    def add(self, rows: Columns) -> None:
        if self._writer is None:
            self._open()
        texts = {name: _texts(values) for name, values in rows.items()}
        self._writer.write_table(self._arrow.table(texts, schema=self._schema))

    def close(self) -> None:
        if self._writer is None:
            self._open()
        self._writer.close()


def _no_arrow(why: str) -> MissingPackage:
    return MissingPackage(
        f"Parquet needs pyarrow: {why}",
        hint="pip install 'gpusnek-porter[parquet]', or write .jsonl.",
    )


def _texts(values: list[Any]) -> list[Any]:
    """Texts as UTF-8 can hold them."""
    if not values or not isinstance(next((v for v in values if v is not None), None), str):
        return values
    return [None if v is None else v.encode("utf-8", "replace").decode() for v in values]
