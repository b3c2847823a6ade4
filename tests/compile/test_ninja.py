"""The input file of ninja, with names that contain special characters of its syntax."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.compile.ninja import Edge, NinjaRule, ninja_text, run_ninja
from porter.errors import BuildFailed

NAMES = ("a b", "a:c", "d$ e", "f$g", "h$$ i", "j$")
COPY = NinjaRule("copy", "cp $in $out", "copy $out")


def test_any_name_is_one_file(tmp_path: Path) -> None:
    edges = []
    for name in NAMES:
        (tmp_path / name).write_text(name)
        edges.append(Edge("copy", (tmp_path / f"made {name}",), (tmp_path / name,)))
    quoted = NinjaRule("copy", "cp $in $out", "copy")
    assert run_ninja(tmp_path, [quoted], edges, what="copies", jobs=2) == len(NAMES)
    assert [(tmp_path / f"made {name}").read_text() for name in NAMES] == list(NAMES)
    assert run_ninja(tmp_path, [quoted], edges, what="copies", jobs=2) == 0


def test_variables_and_outputs_beside(tmp_path: Path) -> None:
    rule = NinjaRule("say", "echo $word > $out && echo > beside", "say")
    edge = Edge("say", (Path("out"),), (), (Path("in"),), (("word", "hello"),), (Path("beside"),))
    (tmp_path / "in").touch()
    assert "build out | beside: say | in\n  word = hello\n" in ninja_text([rule], [edge])
    assert run_ninja(tmp_path, [rule], [edge], what="it") == 1
    assert (tmp_path / "out").read_text() == "hello\n"


def test_the_first_failure_is_shown(tmp_path: Path) -> None:
    rule = NinjaRule("fail", "echo why >&2 && false", "fail")
    with pytest.raises(BuildFailed, match=r"it: the build failed\nFAILED: .*out.*\nwhy"):
        run_ninja(tmp_path, [rule], [Edge("fail", (Path("out"),), ())], what="it")
