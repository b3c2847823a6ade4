from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from porter.base import paths
from porter.config import BuildConfig
from porter.freeze import Frozen, freeze
from porter.generate import Layout, read_units
from porter.preprocess import preprocess

if TYPE_CHECKING:
    from porter.pipeline import Build

FILES = {
    "manifest.py": 'package("tool")\nmodule("numbers_of_mine.py")\nmodule("math.py")\n',
    "tool/__init__.py": "",
    "tool/part.py": "from . import other\n\n\ndef outer(x):\n    return other.inner(x)\n",
    "tool/other.py": "def inner(x):\n    return 10 // (x - 1)\n",
    "numbers_of_mine.py": (
        "SMALL = 70368744177663\n"
        "LARGE = -(1 << 200)\n"
        "FLOATS = (0.1, -2.5, 1e300, 5e-324, 1e999, -1e999)\n"
        "COMPLEX = 3 + 0.1j\n"
        'TEXTS = ("a", "long text " * 3, "\\u00e9\\U0001f600", b"\\x00\\xff", ())\n'
        "NOTHING = (None, True, False, ...)\n"
    ),
    "math.py": "from umath import *\n\n\ndef twice(x):\n    return 2 * x\n",
}
Freeze = Callable[[Path, Path], Frozen]


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    """Return the manifest of FILES, in a folder with them."""
    folder = tmp_path / "modules"
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "manifest.py"


@pytest.fixture
def frozen(built: Build) -> Freeze:
    """Return a function that freezes a manifest's modules for the shared build, in a new folder."""
    release = built.sources.name.rpartition("-")[0]
    made = Layout.of(release, built.sources)
    units = read_units(made.units)

    def make(manifest: Path, folder: Path) -> Frozen:
        folder.mkdir()
        for name in ("src", "genhdr"):
            (folder / name).symlink_to(made.build / name)
        layout = Layout(folder, paths.upstream_dir() / release)
        config = BuildConfig(release=release, library="none", freeze=str(manifest))
        return freeze(config, layout, units, preprocess(made, units, 2), 2)

    return make
