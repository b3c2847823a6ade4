"""Upstream's calls of littlefs use the port's wrappers (templates/port/lfscalls.h)."""

from __future__ import annotations

import re
from pathlib import Path

from porter.base import paths


def test_every_call_is_ours(upstream: Path) -> None:
    sources = [upstream / "extmod" / name for name in ("vfs_lfsx.c", "vfs_lfsx_file.c")]
    text = "".join(path.read_text() for path in sources)
    calls = {
        name
        for pattern in (r"LFSx_API\((\w+)\)\(&self", r"\blfs\d_(\w+)\(&self")
        for name in re.findall(pattern, text)
    }
    port = paths.templates_dir() / "port"
    names = set(re.findall(r"#define lfs\d_(\w+) \w+", (port / "lfsnames.h").read_text()))
    # No other code can access a file system during mount or format: its object does not exist yet.
    assert calls - names == {"format", "mount"}
    assert {"file_close", "getattr", "stat", "traverse"} <= calls
