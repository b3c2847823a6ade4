"""Fetch the distribution's source package with an apt that has private state.

The package archives are those that this machine is configured with.

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

# Aliases, not code names, since aliases stay valid for years. The machine's own suite comes first.
SUITES = {"debian": ("stable", "testing", "unstable"), "ubuntu": ("devel",)}
COMPONENTS = {"debian": ("main",), "ubuntu": ("main", "universe")}
KEYRINGS = {
    "debian": "usr/share/keyrings/debian-archive-keyring.gpg",
    "ubuntu": "usr/share/keyrings/ubuntu-archive-keyring.gpg",
}


@frozen
class Archive:
    """A package archive. `signed_by` is the path of a keyring, or the text of a key."""

    uri: str
    suites: tuple[str, ...]
    components: tuple[str, ...]
    signed_by: str = ""


@frozen
class Machine:
    """The distribution (`debian`, `ubuntu`, ...), its code name, and its archives."""

    distribution: str
    codename: str
    archives: tuple[Archive, ...]
    root: Path = Path("/")

    def source_archive(self) -> Archive | None:
        """Return the archive of this distribution's sources, with the suites to search.

        None if no configured archive belongs to the machine's own distribution.
        """
        own = {self.codename, *SUITES.get(self.distribution, ())} - {""}
        for archive in self.archives:
            if own.isdisjoint(archive.suites) or "main" not in archive.components:
                continue
            suites = [s for s in archive.suites if s in own] + list(
                SUITES.get(self.distribution, ())
            )
            keyring = archive.signed_by
            default = self.root / KEYRINGS.get(self.distribution, "nonexistent")
            if not keyring and default.is_file():
                keyring = str(default)
            components = COMPONENTS.get(self.distribution, archive.components)
            return Archive(archive.uri, tuple(dict.fromkeys(suites)), components, keyring)
        return None


def read_machine(root: Path = Path("/")) -> Machine:
    """Return this machine's distribution and archives; tests pass another `root`."""
    release = _os_release(root)
    apt = root / "etc/apt"
    files = [apt / "sources.list", *sorted((apt / "sources.list.d").glob("*"))]
    archives: list[Archive] = []
    for path in files:
        if not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        if path.suffix == ".sources":
            archives += parse_deb822(text)
        elif path.suffix == ".list":
            archives += parse_one_line(text)
    return Machine(
        release.get("ID", ""), release.get("VERSION_CODENAME", ""), tuple(archives), root
    )


def parse_one_line(text: str) -> Iterator[Archive]:
    """Yield the archives of a `sources.list`: `deb [options] uri suite component ...`."""
    for row in text.splitlines():
        match = re.match(r"\s*deb(?:-src)?\s+(?:\[([^]]*)\]\s+)?(\S+)\s+(\S+)\s*([^#]*)", row)
        if match is None:
            continue
        options, uri, suite, components = match.groups()
        signed = re.search(r"signed-by=(\S+)", options or "")
        yield Archive(uri, (suite,), tuple(components.split()), signed[1] if signed else "")


def parse_deb822(text: str) -> Iterator[Archive]:
    """Yield the archives of a `.sources` file, without disabled ones (`Enabled: no`)."""
    for paragraph in re.split(r"\n\s*\n", text):
        fields: dict[str, str] = {}
        key = ""
        for row in paragraph.splitlines():
            if row.startswith("#"):
                continue
            if row[:1] in (" ", "\t"):
                fields[key] = fields.get(key, "") + "\n" + row
            elif ":" in row:
                key, value = row.split(":", 1)
                key = key.strip().lower()
                fields[key] = value.strip()
        if fields.get("enabled", "yes").lower() in ("no", "false", "0"):
            continue
        signed = fields.get("signed-by", "").strip()
        for uri in fields.get("uris", "").split():
            suites = tuple(fields.get("suites", "").split())
            yield Archive(uri, suites, tuple(fields.get("components", "").split()), signed)


def _os_release(root: Path) -> dict[str, str]:
    for name in ("etc/os-release", "usr/lib/os-release"):
        path = root / name
        if path.is_file():
            rows = (row.split("=", 1) for row in path.read_text().splitlines() if "=" in row)
            return {key: value.strip().strip('"') for key, value in rows}
    return {}


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
