"""Fetch the distribution's source package with an apt that has private state.

apt runs with its own configuration, state and cache. So it changes nothing on the machine and needs
no root. From the machine it reads the archive's address, its keyring and the `Acquire` settings
(such as proxies). apt checks signatures and hashes.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import frozen

from porter.base.process import run, tail
from porter.errors import SyncFailed, ToolFailed
from porter.sync.machine import Archive, Machine, read_machine

PACKAGE = "micropython"
UPDATE_TIMEOUT = 300.0  # seconds
FETCH_TIMEOUT = 600.0


@frozen
class PrivateApt:
    """An apt with its state in the folder `root`, and with up-to-date package lists."""

    root: Path

    def run(self, tool: str, *args: str, cwd: Path, timeout: float, check: bool = True) -> str:
        """Run `apt-get` or `apt-cache` and return its output."""
        env = {"APT_CONFIG": str(self.root / "apt.conf"), "LC_ALL": "C.UTF-8"}
        return run([tool, *args], cwd=cwd, env=env, timeout=timeout, check=check).output

    def versions(self, package: str = PACKAGE) -> list[str]:
        """Return the versions of a source package in all suites."""
        output = self.run("apt-cache", "showsrc", package, cwd=self.root, timeout=60.0, check=False)
        found = re.findall(r"^Version:\s*(\S+)", output, re.MULTILINE)
        return list(dict.fromkeys(found))

    def fetch(self, version: str, into: Path, package: str = PACKAGE) -> Path:
        """Download a source package and return the path of upstream's tarball in `into`."""
        into.mkdir(parents=True, exist_ok=True)
        self.run(
            "apt-get",
            "source",
            "--download-only",
            f"{package}={version}",
            cwd=into,
            timeout=FETCH_TIMEOUT,
        )
        tarballs = sorted(into.glob(f"{package}_*.orig.tar.*"))
        tarballs = [path for path in tarballs if path.suffix != ".asc"]
        if len(tarballs) != 1:
            raise SyncFailed(f"apt fetched no single upstream tarball of {package} {version}")
        return tarballs[0]


@contextmanager
def private_apt(machine: Machine | None = None) -> Iterator[PrivateApt]:
    """Yield a PrivateApt with the package lists of this machine's archive; removed on exit.

    Raises:
        SyncFailed: There is no apt, no archive of the distribution, or no network.
    """
    if shutil.which("apt-get") is None:
        raise SyncFailed("no apt on this machine")
    machine = machine or read_machine()
    archive = machine.source_archive()
    if archive is None:
        raise SyncFailed(
            f"apt is configured with no archive of {machine.distribution or 'a distribution'}"
        )
    with TemporaryDirectory(prefix="porter-apt-", ignore_cleanup_errors=True) as name:
        root = Path(name)
        root.chmod(0o755)  # as root, apt downloads as the user _apt, which needs access
        _configure(root, archive)
        apt = PrivateApt(root)
        _update(apt, archive)
        yield apt


def _configure(root: Path, archive: Archive) -> None:
    for folder in ("state/lists/partial", "cache/archives/partial", "empty"):
        (root / folder).mkdir(parents=True)
    (root / "status").touch()
    signed_by = archive.signed_by
    if "\n" in signed_by:  # deb822 may contain the key itself, each line indented by a space
        rows = [row[1:] if row[:1] == " " else row for row in signed_by.splitlines()]
        key = root / "key.asc"
        key.write_text("\n".join("" if row == "." else row for row in rows).strip() + "\n")
        signed_by = str(key)
    options = f" [signed-by={signed_by}]" if signed_by else ""
    components = " ".join(archive.components)
    rows = [f"deb-src{options} {archive.uri} {suite} {components}\n" for suite in archive.suites]
    (root / "sources.list").write_text("".join(rows))
    settings = {
        "Dir::Etc::main": "/dev/null",
        "Dir::Etc::parts": root / "empty",
        "Dir::Etc::sourcelist": root / "sources.list",
        "Dir::Etc::sourceparts": root / "empty",
        "Dir::Etc::preferences": "/dev/null",
        "Dir::Etc::preferencesparts": root / "empty",
        "Dir::State": root / "state",
        "Dir::State::status": root / "status",
        "Dir::Cache": root / "cache",
        "Acquire::Languages": "none",
        "Acquire::Retries": "1",
        "Acquire::http::Timeout": "20",
        "Acquire::https::Timeout": "20",
    }
    inherited = run(["apt-config", "dump"], timeout=30.0, check=False).stdout.splitlines()
    lines = [line for line in inherited if line.startswith("Acquire::")]
    lines += [f'{key} "{value}";' for key, value in settings.items()]
    (root / "apt.conf").write_text("\n".join(lines) + "\n")


def _update(apt: PrivateApt, archive: Archive) -> None:
    # A suite missing on the mirror fails the whole update, so check the downloaded lists instead.
    try:
        output = apt.run("apt-get", "update", cwd=apt.root, timeout=UPDATE_TIMEOUT, check=False)
    except ToolFailed as error:
        raise SyncFailed(f"apt-get update: {error.message}") from error
    if not list((apt.root / "state/lists").glob("*Sources*")):
        problems = [row for row in output.splitlines() if row.startswith(("E:", "W:", "Err:"))]
        detail = tail("\n".join(problems) or output, 8)
        raise SyncFailed(f"apt could not read the archive {archive.uri}:\n{detail}")


def upstream_version(package_version: str) -> str:
    """Return upstream's release in a package's version: `1.26.1` in `1.26.1+ds-1`."""
    version = package_version.split(":", 1)[-1]
    version = version.rsplit("-", 1)[0] if "-" in version else version
    version = re.sub(r"\+(ds|dfsg|repack|git|really).*$", "", version)
    return version.replace("~", "-")
