"""Upstream's git repository; its address stands in `.gitmodules` alone."""

from __future__ import annotations

import configparser
import re
import shutil
from pathlib import Path

from porter.base import paths
from porter.base.process import run
from porter.base.release_name import version_key
from porter.errors import PorterError, SyncFailed, ToolFailed, ToolMissing

LOOKUP_TIMEOUT = 10.0  # seconds: where git cannot get through, the next origin is near
CLONE_TIMEOUT = 900.0
# Never ask: no terminal prompt, no credential or ssh dialogue.
QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
}


def upstream_url() -> str:
    """The address in `.gitmodules`. Raises SyncFailed when there is none."""
    parser = configparser.ConfigParser()
    path = paths.gitmodules_file()
    try:
        text = path.read_text(encoding="utf-8")
        parser.read_string("\n".join(row.strip() for row in text.splitlines()))
        return parser['submodule "upstream/micropython"']["url"]
    except (OSError, KeyError, configparser.Error) as error:
        raise SyncFailed(f"{path} names no upstream repository") from error


def remote_tags(pattern: str = "v*") -> list[str]:
    """Tags of upstream's repository. Raises SyncFailed when git cannot get there."""
    url = upstream_url()
    try:
        done = run(
            ["git", "ls-remote", "--tags", "--refs", url, f"refs/tags/{pattern}"],
            env=QUIET,
            timeout=LOOKUP_TIMEOUT,
        )
    except (ToolFailed, ToolMissing) as error:
        raise SyncFailed(_reason(error)) from error
    return re.findall(r"refs/tags/(\S+)$", done.stdout, re.MULTILINE)


def remote_releases() -> list[str]:
    """Releases that upstream has tagged, 1.24 and newer (older ones are not supported)."""
    names = [tag[1:] for tag in remote_tags() if re.fullmatch(r"v\d+(\.\d+)+", tag)]
    return [name for name in names if version_key(name) >= version_key("1.24")]


def clone(tag: str, into: Path) -> None:
    """The tree of `tag` in the new folder `into`, without its history."""
    if tag not in remote_tags(tag):
        raise SyncFailed(f"upstream's repository has no tag {tag}")
    argv = ["git", "-c", "advice.detachedHead=false", "clone", "--quiet", "--depth", "1"]
    try:
        run(
            [*argv, "--branch", tag, upstream_url(), into],
            env=QUIET,
            timeout=CLONE_TIMEOUT,
        )
    except (ToolFailed, ToolMissing) as error:
        raise SyncFailed(_reason(error)) from error
    shutil.rmtree(into / ".git", ignore_errors=True)


def _reason(error: PorterError) -> str:
    if isinstance(error, ToolMissing):
        return "no git on this machine"
    output = error.output if isinstance(error, ToolFailed) else ""
    fatal = [row for row in output.splitlines() if row.startswith(("fatal:", "error:"))]
    return fatal[-1] if fatal else error.message
