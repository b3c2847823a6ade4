"""The check for include cycles of templates, on invented folders and on the real templates."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.base.paths import templates_dir
from porter_dev import includes


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {
        "port/first.h": "#include <stdio.h>\n",
        "port/first.c": '#include "first.h"\n# include "second.h" // comment\n',
        "port/second.h": '#include "py/obj.h"\n',
        "port/second.c.j2": '#include "second.h"\n{{ rows }}\n#include "third.inc"\n',
        "runtime/third.inc": '#include "fourth.h"\n',
        "runtime/fourth.h.j2": "// nothing\n",
        "port/notes.md": '#include "first.h"\n',
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def append(path: Path, text: str) -> None:
    path.write_text(path.read_text() + text)


def test_a_chain_is_no_cycle(folder: Path) -> None:
    graph = includes.include_graph(folder)
    assert {component: set(found) for component, found in graph.items()} == {
        "port/first": {"port/second"},
        "port/second": {"runtime/third"},
        "runtime/third": {"runtime/fourth"},
        "runtime/fourth": set(),
    }
    assert includes.cycles(graph) == []


@pytest.mark.parametrize(
    ("file", "cycle"),
    [
        ("runtime/fourth.h.j2", ("port/first", "port/second", "runtime/third", "runtime/fourth")),
        ("runtime/third.inc", ("port/first", "port/second", "runtime/third")),
        ("port/second.c.j2", ("port/first", "port/second")),
        ("port/first.h", ("port/first",)),
    ],
)
def test_a_cycle_is_named_with_its_files(folder: Path, file: str, cycle: tuple[str, ...]) -> None:
    append(folder / file, '#include "first.h"\n')
    graph = includes.include_graph(folder)
    (found,) = includes.cycles(graph)
    assert found == (*cycle, cycle[0])
    text = includes.describe(graph, found)
    assert text.startswith("include cycle: " + " -> ".join(found))
    assert f"{file} includes port/first.h" in text


def test_each_cycle_is_named_once(folder: Path) -> None:
    append(folder / "port/second.h", '#include "first.h"\n')
    append(folder / "runtime/fourth.h.j2", '#include "third.inc"\n')
    assert includes.cycles(includes.include_graph(folder)) == [
        ("port/first", "port/second", "port/first"),
        ("runtime/fourth", "runtime/third", "runtime/fourth"),
    ]


def test_a_name_is_first_looked_up_beside_the_file(folder: Path) -> None:
    (folder / "runtime/first.h").write_text("")
    append(folder / "runtime/fourth.h.j2", '#include "first.h"\n')
    graph = includes.include_graph(folder)
    assert set(graph["runtime/fourth"]) == {"runtime/first"}
    assert includes.cycles(graph) == []


def test_the_command_fails_with_the_cycle(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(includes, "templates_dir", lambda: folder)
    assert includes.main() == 0
    append(folder / "port/second.h", '#include "first.h"\n')
    assert includes.main() == 1
    assert "port/first.c includes port/second.h" in capsys.readouterr().err


def test_a_cycle_inside_a_component_is_named(folder: Path) -> None:
    append(folder / "runtime/third.inc", '#include "third.h"\n')
    (folder / "runtime/third.h").write_text("")
    assert includes.find_cycles(folder) == []
    append(folder / "runtime/third.h", '#include "third.inc"\n')
    (text,) = includes.find_cycles(folder)
    assert "runtime/third.h -> runtime/third.inc -> runtime/third.h" in text


def test_templates_have_no_include_cycles() -> None:
    graph = includes.include_graph(templates_dir())
    assert {"port/interp", "runtime/interpreter", "libc/string"} <= set(graph)
    assert includes.find_cycles(templates_dir()) == []
