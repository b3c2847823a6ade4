"""Read the package archives that this machine is configured with from apt's files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

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
