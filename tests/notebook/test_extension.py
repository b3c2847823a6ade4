"""Loading and unloading, and IPython in a terminal, which has no updatable display."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.notebook.executing import ROOT, environment, uncoloured

if TYPE_CHECKING:
    from porter.pipeline import Build

SCRIPT = """\
%load_ext porter
%load_ext porter
%gpusnek -n 4 --build BUILD threadIdx % 2
%gpusnek --live print('now', threadIdx // 4)
%gpusnek threadIdx // 2 and 1 / 0
%unload_ext porter
print(get_ipython().find_line_magic('gpusnek'), get_ipython().find_cell_magic('gpusnek'))
"""


def test_a_terminal(built: Build, tmp_path: Path) -> None:
    script = tmp_path / "script.ipy"
    script.write_text(SCRIPT.replace("BUILD", str(built.folder)))
    done = subprocess.run(
        [sys.executable, "-m", "IPython", "--no-banner", "--no-confirm-exit", str(script)],
        cwd=ROOT,
        env={**environment(), "IPYTHONDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    out = uncoloured(done.stdout)
    assert "4 interpreters on host\n----- 2x -----\n0\n----- 2x -----\n1\n" in out
    assert "now 0\n" in out
    assert "----- 2x ----- threadIdx 2, 3" in out + uncoloured(done.stderr)


def test_importing_porter_imports_no_ipython() -> None:
    code = "import sys, porter, porter.array; print(any('IPython' in name for name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment(), capture_output=True, text=True
    )
    assert done.stdout == "False\n", done.stderr
