"""The build that workers of a cluster run: chosen, sent to them, and opened by them.

The client chooses or makes a build (`build_for`). Tasks carry its description, a Parcel. A worker
finds the build by its hash in the client's folder or its cache (`found`). The client asks the
workers which of them lack the build, and sends those the files once (`Supply`). A worker keeps a
device open and runs one task at a time on it (`device_for`).
"""

from __future__ import annotations

import io
import os
import shutil
import tarfile
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import platformdirs
from attrs import define, field, frozen

from porter.array.device_selection import ready_build
from porter.base import arguments
from porter.base.fingerprint import file_digest
from porter.base.locks import locked
from porter.dask.connection import Abilities, abilities, target_for
from porter.errors import ClusterMismatch, NoGpu, NotBuilt, UsageError
from porter.manifest import MANIFEST
from porter.run import Device, open_device
from porter.run.built import Built, open_build, running_files
from porter.verified import damaged

TARGETS = ("host", "cuda")


class BuildMissing(ClusterMismatch):
    """A worker lacks the build of its task: it joined after the client sent the build."""


@frozen
class Parcel:
    """The description of a finished build, by which a worker finds it.

    Attributes:
        key: The SHA-256 of its build.json, which contains the hashes of its files.
        folder: The build's folder on the client; a worker may share the file system.
        targets: The targets it has, of host and cuda.
        config: The build's configuration by BuildConfig's names, with the default sizes of
            launches.
    """

    key: str
    folder: str
    targets: tuple[str, ...]
    config: Mapping[str, Any] = field(repr=False)


def parcel_of(built: Built) -> Parcel:
    """Return the description of a build. Raises NotBuilt."""
    targets = tuple(target for target in TARGETS if target in built.whole.targets)
    return Parcel(_key(built.folder), str(built.folder), targets, dict(built.config))


def packed(built: Built) -> bytes:
    """Return a compressed tar of the files that running a build needs. Raises NotBuilt."""
    memory = io.BytesIO()
    with tarfile.open(fileobj=memory, mode="w:gz", compresslevel=1) as tar:
        tar.add(built.folder / MANIFEST, MANIFEST)
        for name in _needed(built, parcel_of(built).targets):
            tar.add(built.file(*name.split("/", 1)), name)
    return memory.getvalue()


def found(parcel: Parcel, cache: Path | None = None) -> Built | None:
    """Return the build of `parcel` on this machine, or None if it lacks it.

    The client's folder is used if it is visible here and holds this build, otherwise `cache`.
    """
    for folder in (Path(parcel.folder), _cache(cache) / parcel.key):
        if _holds(folder, parcel):
            return open_build(folder).with_choices(parcel.config)
    return None


def unpack(parcel: Parcel, archive: bytes, cache: Path | None = None) -> None:
    """Write the build of `parcel` to `cache`, unless another process has done so.

    Args:
        parcel: The build.
        archive: Its files, from `packed`.
        cache: The folder of the builds that clients sent; None: the user's cache.

    Raises:
        ClusterMismatch: The archive is damaged.
        OSError: The build cannot be written.
    """
    cache = _cache(cache)
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / parcel.key
    with locked(cache / f"{parcel.key}.lock", say=lambda text: None):
        if not _holds(folder, parcel):
            _unpack(parcel, archive, folder)


def lacks(parcel: Parcel) -> bool:
    """Return whether this worker lacks a build."""
    with _guard:
        opened = any(key[1] == parcel.key and one.device for key, one in _opened.items())
    return not opened and found(parcel) is None


@define(eq=False)
class Supply:
    """Sends a build to the workers that lack it.

    Attributes:
        client: A distributed.Client.
        built: The build.
        parcel: Its description.
        sent: The number of times that the files were sent.
    """

    client: Any
    built: Built
    parcel: Parcel
    sent: int = 0
    _archive: bytes | None = field(default=None, repr=False)

    @classmethod
    def of(cls, client: Any, built: Built) -> Supply:
        """Return the supply of `built`, after all present workers have the build.

        Raises:
            ClusterMismatch: A worker cannot store the build.
        """
        supply = cls(client, built, parcel_of(built))
        supply()
        return supply

    def __call__(self) -> None:
        """Send the build to every present worker that lacks it, one per machine at a time.

        Workers of one machine usually share its cache, so that one of them stores the build for
        all.

        Raises:
            ClusterMismatch: A worker cannot store the build.
        """
        lacking = self._lacking(None)
        while lacking:
            if self._archive is None:
                self._archive = packed(self.built)
            machines = {address.rpartition(":")[0]: address for address in lacking}
            chosen = list(machines.values())
            answers = self.client.run(
                unpack, self.parcel, self._archive, workers=chosen, on_error="return"
            )
            for address, answer in answers.items():
                if isinstance(answer, Exception) and not _has_left(self.client, address):
                    raise ClusterMismatch(
                        f"worker {address} cannot store the build: {answer}",
                        hint="It writes to the user's cache folder.",
                    ) from answer
            self.sent += len(chosen)
            lacking = self._lacking(lacking)

    def _lacking(self, workers: Iterable[str] | None) -> list[str]:
        """Return those of `workers` that lack the build and are still there; None: of all."""
        asked = None if workers is None else [w for w in workers if not _has_left(self.client, w)]
        if asked == []:
            return []
        answers = self.client.run(lacks, self.parcel, workers=asked, on_error="return")
        return sorted(address for address, answer in answers.items() if answer is True)


def _has_left(client: Any, address: str) -> bool:
    return address not in client.scheduler_info(n_workers=-1)["workers"]


def _cache(cache: Path | None) -> Path:
    return cache or platformdirs.user_cache_path("gpusnek-porter") / "shipped"


def _unpack(parcel: Parcel, archive: bytes, folder: Path) -> None:
    beside = Path(tempfile.mkdtemp(prefix=f"{parcel.key[:16]}-", dir=folder.parent))
    try:
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
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


def build_for(
    workers: Mapping[str, Abilities],
    target: str | None,
    release: str | None,
    build: str | os.PathLike[str] | Built | None,
    *,
    bounds_checks: bool = True,
) -> Built:
    """Return a build for `workers`: the given one, a bundled one, or a new one.

    Args:
        workers: The workers' abilities by address.
        target: The target that every worker must run; None if each may run either.
        release: The release of a new build.
        build: A finished build, or its folder.
        bounds_checks: Whether a build that is not given has bounds checks.

    Raises:
        UsageError: The arguments contradict each other.
        NotBuilt: The folder has no build.
        ClusterMismatch: The given build does not suit all workers.
        PorterError: Building failed.
    """
    if target is not None:
        arguments.choice(target, "target", ("host", "cuda"))
    wanted = target or target_for(workers)
    if build is None:
        from porter.settings import load_config

        config = load_config(
            {"target": wanted, "release": release, "bounds_checks": bounds_checks or None}
        )
        if (ready := ready_build(config)) is not None:
            return ready
        from porter.pipeline import build as build_now  # loads libclang

        return open_build(build_now(config).folder)
    if release is not None:
        raise UsageError("release: the build in a folder has its own")
    built = build if isinstance(build, Built) else open_build(arguments.path(build, "build"))
    lacks_gpu = all(worker.gpus for worker in workers.values()) and "cuda" in built.whole.targets
    if target is None and not lacks_gpu and "host" not in built.whole.targets:
        raise ClusterMismatch(
            f"{built.folder} has no host twin, and there are workers without a GPU",
            hint="Build with --target all.",
        )
    if target is not None and target not in built.whole.targets:
        raise UsageError(f"target: the build in {built.folder} has no {target}")
    return built


@define(eq=False)
class _Opened:
    device: Device | None = None
    lock: threading.Lock = field(factory=threading.Lock)


# Keys: worker (a process may have several), build, the build's choices, target.
_opened: dict[tuple[str, str, str, str], _Opened] = {}
_guard = threading.Lock()


@contextmanager
def device_for(parcel: Parcel, target: str | None) -> Iterator[Device]:
    """Yield this worker's device, to one task at a time.

    Args:
        parcel: The build.
        target: The target; None for the GPU if both worker and build support it, else the host.

    Raises:
        NoGpu: The target is "cuda", and the worker has no GPU.
        BuildMissing: The worker lacks the build.
        PorterError: The device cannot be opened.
    """
    from distributed import get_worker

    worker = get_worker()
    able = abilities(worker)
    if target is None:
        target = "cuda" if able.gpus and "cuda" in parcel.targets else "host"
    if target == "cuda" and not able.gpus:
        raise NoGpu(f"worker {worker.address} has no GPU")
    key = (str(worker.id), parcel.key, repr(sorted(parcel.config.items())), target)
    with _guard:
        opened = _opened.setdefault(key, _Opened())
    with opened.lock:
        if opened.device is None:
            options: dict[str, Any] = {"threads": able.nthreads} if target == "host" else {}
            built = found(parcel)
            if built is None:
                raise BuildMissing(f"worker {worker.address} lacks the build {parcel.folder}")
            opened.device = open_device(built, target, **options)
        yield opened.device
