"""Reduce recordings of GPU runs to the CSV tables of docs/lab/results/.

A recording is the JSON file that a command of `tests/gpu/everything.sh` writes: several thousand
lines, of which the documents quote a few figures. One table enters the repository for each run.

* `porter bench`, with and without `--scale`, `sharing.py`, `run_all.py` and `repl_timing.py`: a
  table of its own, named like the recording. Each row is a program or a configuration.
* `porter conformance`, `porter sweep`, `hostile.py` and `steps.py`: one row of a table that all
  runs of the command share. A row with the same name, date and commit is replaced.

A recording does not always name its command, card and date. `--note` adds them:

    python3 -m porter_dev.gpu_tables out/bench.json --note card="NVIDIA H200" --note date=2026-11-25

docs/lab/results/README.md lists the tables; a new table needs a line there.
"""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
from attrs import frozen

from porter_dev.csv_tables import Table, cell, merge, milliseconds, read
from porter_dev.tables import ROOT

FOLDER = ROOT / "docs" / "lab" / "results"
NAMED = ("command", "build", "card", "date", "release", "commit", "note")  # header lines, in order
# Options of `porter conformance` and `porter sweep` that name a build or a size, not a mode.
PLACES = (
    "--target", "--timeout", "--build", "--release", "--json",
    "--heap", "--stack", "--pystack", "--stdout",
)  # fmt: skip

Recording = Mapping[str, Any]
Notes = Mapping[str, str]


class NotARecording(click.ClickException):
    """A file that none of the reducers recognises."""


def header(recording: Recording, notes: Notes) -> dict[str, str]:
    """Return the header of a table: facts about the run, from the recording and the notes."""
    about = recording.get("about", {})
    found = {"card": about.get("device"), **{k: about.get(k) for k in NAMED if k in about}}
    found |= {name: recording[name] for name in NAMED if isinstance(recording.get(name), str)}
    card, _, date = str(recording.get("device", "")).rpartition(", ")
    found |= {"card": card, "date": date} if card else {}
    if re.fullmatch(r"[\d.]+", str(found.get("build"))):  # the scripts of tests/gpu write this
        found["release"] = found.pop("build")
    config = about.get("config") or recording.get("build")
    if isinstance(config, Mapping):
        found["build"] = " ".join(f"{key}={cell(value)}" for key, value in config.items())
        found["release"] = config["release"]
    found |= notes
    return {name: str(found[name]) for name in NAMED if found.get(name)}


def options(command: str) -> tuple[str, dict[str, str]]:
    """Split a command of porter into its mode and the values of `PLACES`.

    Args:
        command: `porter conformance --heap 512K --compiled basics`, for example.

    Returns:
        The mode (`--compiled basics`), and the places by option (`{"--heap": "512K"}`).
    """
    words, mode, places = shlex.split(command, comments=True)[2:], [], {}
    while words:
        word = words.pop(0)
        if word in PLACES and words:
            places[word] = words.pop(0)
        else:
            mode.append(word)
    return " ".join(mode), places


PHASES = ("execute", "start", "compile", "empty")
RATIOS = ("cpython", "cpython-all", "micropython", "micropython-all")
BENCH = (
    "program", "execute ms", "least", "most", "equal data ms", "own/equal", "lanes", "x C",
    *(f"{name} /" for name in RATIOS),
    *(f"{name} ms" for name in PHASES[1:]), "launch ms", "end to end ms", "unforked launch ms",
)  # fmt: skip


def bench(recording: Recording, notes: Notes) -> Table:
    """Reduce `porter bench --json`: programs, then costs, then the launch of many programs."""
    rows = []
    for name, program in recording["programs"].items():
        execute, whole = program["phases"]["execute"], program["whole"]
        spread = ("least", "most") if execute["runs"] > 1 else ()
        ratios = (program.get("own_over_equal"), program.get("lanes"), program["times_c"])
        faster = program["faster_than"]
        rows.append({
            "program": name, "execute ms": milliseconds(execute),
            **{part: milliseconds(execute, part) for part in spread},
            "equal data ms": milliseconds(program.get("equal")),
            **dict(zip(BENCH[5:8], map(cell, ratios), strict=True)),
            **{f"{other} /": cell(faster.get(other)) for other in RATIOS},
            **{f"{phase} ms": milliseconds(program["phases"][phase]) for phase in PHASES[1:]},
            "launch ms": milliseconds(whole["launch"]),
            "end to end ms": milliseconds(whole["end_to_end"]),
            "unforked launch ms": milliseconds(program["unforked"]["launch"]),
        })  # fmt: skip
    for name, cost in recording["costs"].items():
        times = map(milliseconds, (cost["device"], cost["whole"]))
        rows.append({"program": f"cost: {name}", **dict(zip(BENCH[-3:-1], times, strict=True))})
    many = recording.get("candidates") or {}
    for order in ("mixed", "ordered") if many else ():
        rows.append({
            "program": f"{many['programs']} programs, {order}",
            "launch ms": milliseconds(many[order]["launch"]),
            "end to end ms": milliseconds(many[order]["end_to_end"]),
            **{f"{other} /": cell(v) for other, v in many["faster_than"][order].items()},
        })  # fmt: skip
    about = header(recording, notes) | _conditions(recording["about"])
    if memory := recording.get("memory"):
        about["bytes of an idle interpreter"] = " ".join(f"{k}={v}" for k, v in memory.items())
    return Table(about, BENCH, [[row.get(name, "") for name in BENCH] for row in rows])


def _conditions(about: Recording) -> dict[str, str]:
    """Return the counts of a bench: interpreters, repetitions and cores."""
    names = {"n": "interpreters", "repeat": "repetitions", "cores": "cores of the host"}
    return {shown: str(about[name]) for name, shown in names.items()}


def scaling(recording: Recording, notes: Notes) -> Table:
    """Reduce `porter bench --scale --json`: a row for each count and for each heap."""
    columns = ("varied", "interpreters", "heap bytes", "launch ms", "end to end ms")
    points = [(name, p) for name in ("by_count", "by_heap") for p in recording[name]]
    rows = [
        (
            name[3:], cell(p["n"]), cell(p["heap"]),
            *(milliseconds(p["whole"][part]) for part in ("launch", "end_to_end")),
            *(milliseconds(p["phases"][phase]) for phase in PHASES),
        )
        for name, p in points
    ]  # fmt: skip
    about = header(recording, notes) | _conditions(recording["about"])
    del about["interpreters"]  # a column
    about["program"] = recording["program"]
    left = {"left out": text} if (text := cell(recording["left_out"])) else {}
    return Table(about | left, (*columns, *(f"{name} ms" for name in PHASES)), rows)


def sharing(recording: Recording, notes: Notes) -> Table:
    """Reduce `tests/gpu/sharing.py`: the time of a warp beside each endless program."""
    columns = {"ms": "ms", "times": "times alone", "late": "late s", "ends": "exit state"}
    rows = [
        (name, *(cell(row.get(key)) for key in columns)) for name, row in recording["rows"].items()
    ]
    return Table(header(recording, notes), ("beside", *columns.values()), rows)


def checks(recording: Recording, notes: Notes) -> Table:
    """Reduce `tests/gpu/run_all.py`: the figures of each check; times are in seconds."""
    rows = []
    for name, check in recording.items():
        if name.startswith("check_"):
            figures = {"whole check": check["seconds"], **check.get("figures", {})}
            passed = cell(check["passed"])
            rows += [(name[6:], passed, key, cell(value)) for key, value in figures.items()]
    return Table(header(recording, notes), ("check", "passed", "figure", "value"), rows)


def prompt(recording: Recording, notes: Notes) -> Table:
    """Reduce `tests/gpu/repl_timing.py`: medians from Enter to the last banner."""
    rows, about = [], header(recording, notes)
    for name, value in recording.items():
        if isinstance(value, Mapping) and "groups" in value:
            spread = (value["enter_to_last_banner"], min(value["all"]), max(value["all"]))
            times = (*spread, value["launch"], value["merge"])
            rows.append((name, *map(milliseconds, times), cell(value["groups"])))
        elif isinstance(value, Mapping):
            rows += [(f"{name}: {key}", milliseconds(ms), *[""] * 5) for key, ms in value.items()]
        elif name != "command":
            about[name.replace("_", " ")] = cell(value)
    columns = ("input", "to last banner ms", "least", "most", "launch ms", "merge ms", "groups")
    return Table(about, columns, rows)


RUN = ("recording", "date", "commit", "card", "release")
VERDICTS = ("pass", "fail", "skip", "unlisted-skip", "unexpected-pass")


def _run(recording: Recording, notes: Notes) -> dict[str, str]:
    """Return the cells that begin a row of a shared table."""
    return {name: notes.get(name) or header(recording, notes).get(name, "") for name in RUN}


def _shared(row: Mapping[str, str]) -> Table:
    """Return a table of one row, for `merge`."""
    return Table({}, tuple(row), [tuple(row.values())])


def conformance(recording: Recording, notes: Notes) -> Table:
    """Reduce `porter conformance --json` to one row."""
    mode, places = options(notes.get("command") or recording.get("command", ""))
    _, built = options(str(recording.get("build", "")))
    tests = recording.get("results") or recording.get("not good") or ()
    listed = [test["test"] for test in tests if test["verdict"] not in ("pass", "skip")]
    return _shared({
        **_run(recording, notes),
        "arena": notes.get("arena", recording.get("arena", "")),
        "heap": places.get("--heap") or built.get("--heap", ""),
        "bounds checks": notes.get("bounds checks", ""),
        "mode": notes.get("mode", mode),
        **{name: cell(recording["counts"][name]) for name in VERDICTS},
        "seconds": cell(recording["seconds"]),
        "not as expected": cell(listed),
    })  # fmt: skip


def sweep(recording: Recording, notes: Notes) -> Table:
    """Reduce `porter sweep --json` to one row; `not swept` counts programs."""
    mode, _ = options(notes.get("command") or recording.get("command", ""))
    counted = ("programs", "interpreters", "neighbours", "seconds")
    return _shared({
        **_run(recording, notes), "mode": mode,
        **{name: cell(recording[name]) for name in counted},
        **{name: cell(count) for name, count in recording["outcomes"].items()},
        "not swept": cell(len(recording["not_swept"])),
        "not as expected": cell(sorted({bad["program"] for bad in recording.get("bad", ())})),
    })  # fmt: skip


def hostile(recording: Recording, notes: Notes) -> Table:
    """Reduce `tests/gpu/hostile.py` to one row: exit states are counted per program."""
    rows = recording["rows"]
    states = Counter(cell(row.get("ends", ())) for row in rows.values())
    return _shared({
        **_run(recording, notes),
        "bounds checks": notes.get("bounds checks", ""),
        "programs": cell(len(rows)),
        "exit states": ", ".join(f"{count} {state}" for state, count in states.most_common()),
        "wrong": cell([name for name, row in rows.items() if row["wrong"]]) or "none",
        "latest s": cell(max((row.get("late", 0.0) for row in rows.values()), default=0.0)),
    })  # fmt: skip


def steps(recording: Recording, notes: Notes) -> Table:
    """Reduce `tests/gpu/steps.py` to one row."""
    counted = ("programs", "steps", "at their limit")
    return _shared({
        **_run(recording, notes),
        "bounds checks": notes.get("bounds checks", ""),
        **{name: cell(recording[name]) for name in counted},
        "differing": cell(list(recording["differing"])) or "none",
    })  # fmt: skip


@frozen
class Kind:
    """The recordings of one command.

    Attributes:
        recognise: Returns whether a recording is of this kind.
        reduce: Makes the table.
        shared: Name of the table that the rows of all runs share; None if each run has its own.
    """

    recognise: Callable[[Recording], bool]
    reduce: Callable[[Recording, Notes], Table]
    shared: str | None = None


def _has(*names: str) -> Callable[[Recording], bool]:
    return lambda recording: all(name in recording for name in names)


def _rows_have(name: str) -> Callable[[Recording], bool]:
    return lambda recording: any(name in row for row in recording.get("rows", {}).values())


KINDS = (
    Kind(_has("about", "programs", "costs"), bench),
    Kind(_has("about", "by_count", "by_heap"), scaling),
    Kind(_has("counts", "seconds"), conformance, "conformance"),
    Kind(_has("outcomes"), sweep, "sweep"),
    Kind(_has("differing", "steps"), steps, "steps"),
    Kind(_has("check_smoke"), checks),
    Kind(_has("bytes_each"), prompt),
    Kind(_rows_have("wrong"), hostile, "hostile"),
    Kind(_rows_have("ms"), sharing),
)


def add(path: Path, notes: Notes, folder: Path = FOLDER) -> Path:
    """Reduce a recording into a folder of tables.

    Args:
        path: The recording.
        notes: Facts about the run that the recording does not name, such as its card.
        folder: The folder of the tables.

    Returns:
        The path of the table.

    Raises:
        NotARecording: No reducer recognises the file.
    """
    recording = json.loads(path.read_text(encoding="utf-8"))
    kind = next((kind for kind in KINDS if kind.recognise(recording)), None)
    if kind is None:
        raise NotARecording(f"{path}: no command of tests/gpu/everything.sh writes such a file")
    table = kind.reduce(recording, {"recording": path.stem, **notes})
    target = folder / f"{kind.shared or path.stem}.csv"
    if kind.shared and target.exists():
        table = merge(read(target), table)
    target.write_text(table.text(), encoding="utf-8")
    return target


@click.command()
@click.argument("recordings", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--note", "notes", multiple=True, metavar="NAME=TEXT", help="A fact about the run.")
def main(recordings: tuple[Path, ...], notes: tuple[str, ...]) -> None:
    """Reduce recordings of GPU runs to the tables of docs/lab/results/."""
    given = dict(note.split("=", 1) for note in notes)
    for path in recordings:
        click.echo(add(path, given).relative_to(ROOT))


if __name__ == "__main__":
    main()
