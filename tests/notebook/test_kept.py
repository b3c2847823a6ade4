"""A notebook's interpreters survive errors while it makes others or runs a cell."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("IPython", reason="a machine for GPU tests alone may lack Jupyter")

from porter.errors import LaunchFailed, NotEnoughMemory, UsageError
from porter.notebook import named_interpreters as module
from porter.notebook.cells import Cells
from porter.notebook.named_interpreters import CellInterpreters, Kept

if TYPE_CHECKING:
    from porter.pipeline import Build


@pytest.fixture
def kept() -> Iterator[Kept]:
    made = Kept()
    yield made
    made.close()


def short_of_memory(monkeypatch: pytest.MonkeyPatch, kept: Kept) -> None:
    """Make new interpreters fail for lack of memory while old ones exist."""

    def make(**options: Any) -> CellInterpreters:
        if kept.entries:
            raise NotEnoughMemory("no room")
        return CellInterpreters(**options)

    monkeypatch.setattr(module, "CellInterpreters", make)


def test_others_take_the_place_of_those_that_leave_no_room(
    built: Build, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = kept.obtain("main", {"n": 3, "build": str(built.folder)})
    short_of_memory(monkeypatch, kept)
    second, told = kept.obtain("main", {"n": 5})
    assert first.closed and second.n == 5 and told is not None and "the 3 before them" in told


def test_too_many_change_nothing(built: Build, kept: Kept) -> None:
    with pytest.raises(NotEnoughMemory, match="do not fit"):
        kept.obtain("main", {"n": 2**31 - 1, "build": str(built.folder)})
    assert not kept.entries
    first, _ = kept.obtain("main", {"n": 3, "build": str(built.folder)})
    with pytest.raises(NotEnoughMemory, match="do not fit"):
        kept.obtain("main", {"n": 2**31 - 1})
    assert kept.entries["main"].array is first and not first.closed


def test_a_mistake_leaves_the_old_ones(built: Build, kept: Kept) -> None:
    first, _ = kept.obtain("main", {"n": 3, "build": str(built.folder)})
    for wrong in ({"n": 0}, {"heap": 17}, {"build": "/no/such"}, {"fs": "/no/such"}):
        with pytest.raises(Exception, match=r"n: 0|heap: 17|/no/such"):
            kept.obtain("main", wrong)
    same, told = kept.obtain("main", {"n": 3})
    assert same is first and told is None and not first.closed
    with pytest.raises(UsageError, match="--name other"):
        kept.drop("other")


def test_outbuf_that_does_not_fit(built: Build, kept: Kept) -> None:
    with pytest.raises(NotEnoughMemory, match="outbuf of") as caught:
        kept.obtain("main", {"n": 3, "build": str(built.folder), "outbuf": 2**50})
    assert "--outbuf" in str(caught.value.hint)


def test_interpreters_that_broke_are_replaced(
    built: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    display = SimpleNamespace(prompt_count=1)
    cells = Cells(SimpleNamespace(user_ns={}, displayhook=display, var_expand=None))

    def breaks(*arguments: object, **options: object) -> None:
        raise LaunchFailed("2 interpreters broke", hint="Close this array and make another.")

    cells.cell(f"-n 2 --build {built.folder}", "x = 1")
    first = cells.kept.entries["main"].array
    with monkeypatch.context() as patched:
        patched.setattr(CellInterpreters, "run_cell", breaks)
        with pytest.raises(LaunchFailed) as caught:
            cells.cell("", "x")
    assert caught.value.hint == ("These interpreters have ended; the next cell makes new ones.")
    assert first.closed and not cells.kept.entries
    lines = caught.value._render_traceback_()  # type: ignore[attr-defined]
    assert lines[0].endswith("2 interpreters broke")
    cells.cell(f"-n 2 --build {built.folder}", "x = 1")
    assert cells.kept.entries["main"].array.n == 2
    cells.kept.close()
