"""Ship builds to workers: a worker finds a build by its hash, or unpacks it once."""

from __future__ import annotations

import io
import shutil
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import platformdirs
from attrs import field, frozen

from porter.base.fingerprint import file_digest
from porter.base.locking import locked
from porter.errors import ClusterMismatch, NotBuilt
from porter.manifest import MANIFEST
from porter.run.built import Built, open_build, running_files
from porter.verified import damaged

TARGETS = ("host", "cuda")


@frozen
class Parcel:
    """A finished build, packed for workers.

    Attributes:
        key: The SHA-256 of its build.json, which contains the hashes of its files.
        folder: The build's folder on the client; a worker may share the file system.
        targets: The targets it has, of host and cuda.
        config: The build's configuration by BuildConfig's names, with the default sizes of
            launches.
        archive: A compressed tar of the files needed to run it.
    """

    key: str
    folder: str
    targets: tuple[str, ...]
    config: Mapping[str, Any] = field(repr=False)
    archive: bytes = field(repr=False)


def packed(built: Built) -> Parcel:
    """Return the parcel of a build. Raises NotBuilt."""
    targets = tuple(target for target in TARGETS if target in built.whole.targets)
    memory = io.BytesIO()
    with tarfile.open(fileobj=memory, mode="w:gz") as tar:
        tar.add(built.folder / MANIFEST, MANIFEST)
        for name in _needed(built, targets):
            tar.add(built.file(*name.split("/", 1)), name)
    folder, config = str(built.folder), dict(built.config)
    return Parcel(_key(built.folder), folder, targets, config, memory.getvalue())


def unpacked(parcel: Parcel, cache: Path | None = None) -> Built:
    """Return the build of `parcel` on this machine.

    The client's folder is used if it is visible here and holds this build. Otherwise the build is
    in `cache`; the first process that needs it unpacks it.

    Raises:
        ClusterMismatch: The archive is damaged.
        OSError: The build cannot be written.
    """
    folder = Path(parcel.folder)
    if _holds(folder, parcel):
        return open_build(folder).with_choices(parcel.config)
    cache = cache or platformdirs.user_cache_path("gpusnek-porter") / "shipped"
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / parcel.key
    with locked(cache / f"{parcel.key}.lock", say=lambda text: None):
        if not _holds(folder, parcel):
            _unpack(parcel, folder)
    return open_build(folder).with_choices(parcel.config)


def _unpack(parcel: Parcel, folder: Path) -> None:
    beside = Path(tempfile.mkdtemp(prefix=f"{parcel.key[:16]}-", dir=folder.parent))
    try:
        with tarfile.open(fileobj=io.BytesIO(parcel.archive)) as tar:
            for member in tar:
                _extract(tar, member, beside)
        if not _holds(beside, parcel):
            raise ClusterMismatch("the build did not arrive as it was sent")
        shutil.rmtree(folder, ignore_errors=True)  # damaged
        beside.replace(folder)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise


def _extract(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    """Write a file of a parcel below `folder`. Raises ClusterMismatch for anything else."""
    # extractall(filter="data") does so from Python 3.11.4 on.
    path = (folder / member.name).resolve()
    data = tar.extractfile(member) if member.isfile() else None
    if data is None or not path.is_relative_to(folder.resolve()):
        raise ClusterMismatch(f"the build did not arrive as it was sent: {member.name}")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as to:
        shutil.copyfileobj(data, to)


def _holds(folder: Path, parcel: Parcel) -> bool:
    """Return whether `folder` has a complete copy of this build."""
    try:
        if _key(folder) != parcel.key:
            return False
        built = open_build(folder)
        return not damaged(folder, built.whole, _needed(built, parcel.targets))
    except (OSError, NotBuilt):
        return False


def _needed(built: Built, targets: Sequence[str]) -> list[str]:
    return [name for target in targets for name in running_files(built, target)]


def _key(folder: Path) -> str:
    return file_digest(folder / MANIFEST)
