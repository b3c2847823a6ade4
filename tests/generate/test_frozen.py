"""Frozen modules as C text."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porter.base import paths
from porter.errors import GenerateFailed
from porter.generate.frozen import FrozenFile, frozen_source, read_manifest


def content_of(source: str) -> bytes:
    """Return the bytes that a C compiler makes of mp_frozen_str_content (without its last zero)."""
    body = source.split("mp_frozen_str_content[] =\n")[1].split(";\n")[0]
    return b"".join(ast.literal_eval(f"b{part}") for part in re.findall(r'"(?:[^"\\]|\\.)*"', body))


@given(st.lists(st.binary(min_size=1, max_size=60), min_size=1, max_size=3))
def test_text_survives_quoting(contents: list[bytes]) -> None:
    files = [FrozenFile(f"m{i}.py", text.replace(b"\0", b"0")) for i, text in enumerate(contents)]
    source = frozen_source(files)
    assert content_of(source) == b"".join(file.content + b"\0" for file in files)
    assert "??" not in content_of.__name__  # trigraphs: no bare question mark is written
    assert all("?" not in line for line in source.splitlines() if line.startswith('    "'))
    for file in files:
        assert f"    {len(file.content)}, // {file.name}" in source


def test_asyncio_is_frozen(upstream: Path) -> None:
    manifest = paths.templates_dir() / "frozen" / "manifest.py"
    names = [file.name for file in read_manifest(upstream, manifest)]
    assert "asyncio/__init__.py" in names
    assert "asyncio/core.py" in names
    assert names == sorted(names)


def test_bad_manifest(upstream: Path, tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.py"
    manifest.write_text('module("nowhere.py")\n')
    with pytest.raises(GenerateFailed, match=r"manifest\.py"):
        read_manifest(upstream, manifest)


def test_empty_module_is_refused(upstream: Path, tmp_path: Path) -> None:
    (tmp_path / "hollow.py").write_text("")
    manifest = tmp_path / "manifest.py"
    manifest.write_text('module("hollow.py")\n')
    with pytest.raises(GenerateFailed, match=r"hollow\.py"):
        read_manifest(upstream, manifest)
