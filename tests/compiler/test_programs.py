"""Programs that native code once executed incorrectly, in every mode."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from porter_dev.torture.python import cpython
from porter_dev.torture.python.comparison import MODES, Examiner, difference

if TYPE_CHECKING:
    from porter.pipeline import Build

PROGRAMS = sorted(Path(__file__).with_name("programs").glob("*.py"))
# A dead variable does not keep its object alive, also if a branch follows either assignment.
DEAD_VARIABLE = """\
import gc
try:
    import weakref
except ImportError:
    weakref = None
class Held:
    pass
def f(late):
    a = Held()
    known = weakref.ref(a)
    a = {value}
    if late:
        late = 2
    filler = [0, 0, 0, 0]
    gc.collect()
    print(known())
if weakref:
    f(1)
else:  # a release before 1.28
    print(None)
"""


@pytest.mark.parametrize("mode", MODES)
def test_kept_programs(built: Build, mode: str) -> None:
    assert PROGRAMS
    sources = [path.read_text() for path in PROGRAMS]
    found = Examiner(built.folder, (mode,))()(sources)
    wrong = {
        path.name: shown
        for path, one, output in zip(PROGRAMS, found, cpython.outputs(sources), strict=True)
        if (shown := difference(one, output)) is not None
    }
    assert not wrong


# (Mode "gc" is excluded: weak references change the steps of a run with collections.)
@pytest.mark.parametrize("mode", ["all", "everywhere"])
def test_objects_die_as_interpreted(built: Build, mode: str) -> None:
    sources = [DEAD_VARIABLE.format(value=value) for value in ("None", "2.5", "late", "[late]")]
    for one in Examiner(built.folder, (mode,))()(sources):
        assert difference(one, "None\n") is None
