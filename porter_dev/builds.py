"""The builds that tests share: made once before pytest starts, and read-only for the tests.

`bootstrap.py test` calls this module as a script. The fixtures of tests/ call `shared`, which finds
the finished build, or makes it where a single test runs in a fresh clone. `tiers` compares the
artifacts at the end of a run with those at its start, so a test that writes into a shared build
fails the run.

    python -m porter_dev.builds            # make every build of the default tier
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from porter.base import paths
from porter.manifest import MANIFEST

if TYPE_CHECKING:
    from porter.pipeline import Build

JOBS = 2  # compilers at a time where a fixture makes a build while another worker runs tests

# Keyword arguments of BuildConfig (the release aside) and the variant of the host twin. All builds
# are made from the same rewritten sources.
DEFAULT_TIER: Mapping[str, Mapping[str, Any]] = {
    "default": {"target": "host"},
    "bounds-checked": {"target": "host", "bounds_checks": True},
    "profiling": {"target": "host", "profile": True},
}

ARTIFACTS = ("*/build.json", "*/*.so", "host*/*.so", "host*/*.places", "host*/obj/*.o", "cxx/*")


class NoRelease(Exception):
    """No release is synced on this machine."""


def release() -> str:
    """Return the newest synced release.

    Raises:
        NoRelease: No release is synced.
    """
    from porter.sync.store import synced_releases

    found = synced_releases()
    if not found:
        raise NoRelease("no release is synced")
    return found[-1]


def shared(name: str, jobs: int | None = JOBS, **changes: Any) -> Build:
    """Return a build of the newest synced release that all tests share.

    Args:
        name: A key of `DEFAULT_TIER`.
        jobs: The number of compilers at a time, or None for one per core.
        changes: Further keyword arguments of BuildConfig.

    Returns:
        The finished build. Nothing is compiled if it is up to date.

    Raises:
        NoRelease: No release is synced.
    """
    from porter.config import BuildConfig
    from porter.pipeline import build

    options = {**DEFAULT_TIER[name], **changes}
    return build(BuildConfig(release=release(), **options), jobs=jobs)


Fingerprint = tuple[int, int] | dict[str, str]


def fingerprints() -> dict[Path, Fingerprint]:
    """Return a fingerprint of each artifact of the finished builds.

    Returns:
        The size in bytes and the modification time in ns of each file. For a manifest
        (`build.json`), the JSON text of each of its parts: another variant of the host twin adds
        a target to the manifest of the same build and changes nothing else.
    """
    folders = [folder for folder in paths.build_dir().glob("[0-9]*-*") if folder.is_dir()]
    files = (file for folder in folders for rule in ARTIFACTS for file in folder.glob(rule))
    return {file: _fingerprint(file) for file in files}


def _fingerprint(file: Path) -> Fingerprint:
    if file.name == MANIFEST:
        document = json.loads(file.read_bytes())
        targets = {f"target {name}": part for name, part in document.pop("targets").items()}
        parts = {**document, **targets}
        return {name: json.dumps(part, sort_keys=True) for name, part in parts.items()}
    status = file.stat()
    return (status.st_size, status.st_mtime_ns)


def changed(before: Mapping[Path, Fingerprint]) -> list[str]:
    """Return one message for each artifact that was rewritten or removed since `before`.

    Args:
        before: The result of an earlier call of `fingerprints`. New artifacts are not reported,
            since a build with other sizes has a folder of its own.
    """
    now = fingerprints()
    found = []
    for file, was in before.items():
        if file not in now:
            found.append(f"{file}: a test removed this artifact of a shared build")
        elif not _same(was, now[file]):
            found.append(f"{file}: a test rewrote this artifact of a shared build")
    return found


def _same(was: Fingerprint, now: Fingerprint) -> bool:
    """Return whether an artifact still has the content that it had."""
    if isinstance(was, dict) and isinstance(now, dict):
        return was.items() <= now.items()
    return was == now


def reference() -> Path:
    """Return upstream's own build of the newest synced release, the reference of tests.

    Returns:
        The executable. Nothing is compiled if it is up to date.

    Raises:
        NoRelease: No release is synced.
    """
    from porter.config import BuildConfig
    from porter_dev.reference import build_reference

    newest = release()
    return build_reference(BuildConfig(release=newest), paths.build_dir() / f"reference-{newest}")


def main() -> None:
    """Make every build of the default tier; exit with the error's code if one cannot be made."""
    from porter.errors import PorterError

    try:
        for name in DEFAULT_TIER:
            print(f"shared test build: {name}", flush=True)
            shared(name, jobs=None)
        print("shared test build: reference", flush=True)
        reference()
    except NoRelease:
        print("no release is synced: the tests that need a build are skipped", file=sys.stderr)
    except PorterError as error:
        sys.exit(f"{error}\n{error.hint or ''}")


if __name__ == "__main__":
    main()
