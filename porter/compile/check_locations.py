"""List the source locations of a bounds-checked host twin's checks, as a step of the host build.

The command is `python check_locations.py LIBRARY CXX OUT`. OUT has a line per check: the return
address of the check's call, as 8 hexadecimal digits, and the location in upstream's or the port's
source. The library reads OUT when a check fails (fences_host.cpp). Without binutils OUT is empty,
and the library reports addresses. Ninja runs this file by its path, so it imports the standard
library only.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

_CALL = re.compile(r"\s*([0-9a-f]+):\s+(?:call|jmp|bl)q?\s.*<__asan_(?:load|store)")
_NEXT = re.compile(r"\s*([0-9a-f]+):\s+(?:jmp\s+([0-9a-f]+)\s)?")
_HEADER = re.compile(r'#line 0 "(.*)"')
_OURS = "templates/runtime/"  # inlined into rewritten units: report the caller's location instead


def calls(disassembly: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yield an address at the place of each check, and the return address of the check's call.

    A jump behind the call goes back to the place (fences_inline.h). Without a jump the call is
    there.

    Args:
        disassembly: Lines of `objdump -d`.
    """
    call = None
    for line in disassembly:
        if call is not None and (following := _NEXT.match(line)):
            back = following[2]
            yield (call if back is None else int(back, 16) - 1), int(following[1], 16)
            call = None
        if found := _CALL.match(line):
            call = int(found[1], 16)


def place(frames: list[str], cxx: Path) -> str:
    """Return the location to report, from the frames of `addr2line -i`, innermost first."""
    named = [frame for frame in frames if _OURS not in frame] or frames
    file, _, line = named[0].partition(" ")[0].rpartition(":")
    if "/cxx/" in file:  # addr2line names the unit itself, not the source of its #line
        file = _source_of(cxx / file.rpartition("/cxx/")[2])
    found = re.search(r"(?:upstream|patched)/[^/]*/(.*)", file)
    found = found or re.search(r"((?:port|libc|templates)/.*)", file)
    return f"{file if found is None else found[1]}:{line}"


def _source_of(unit: Path) -> str:
    try:
        with unit.open(encoding="utf-8", errors="replace") as file:
            for row in file:
                if found := _HEADER.match(row):
                    return found[1]
    except OSError:
        pass
    return unit.name


def places(library: Path, cxx: Path) -> list[str]:
    """Return the lines of the list."""
    tool = ["objdump", "-d", "--no-show-raw-insn", str(library)]
    text = subprocess.run(tool, capture_output=True, text=True, check=True).stdout
    found = list(calls(text.splitlines()))
    asked = "".join(f"{call:x}\n" for call, _ in found)
    tool = ["addr2line", "-a", "-i", "-e", str(library)]
    answer = subprocess.run(tool, input=asked, capture_output=True, text=True, check=True).stdout
    blocks = re.split(r"^0x[0-9a-f]+\n", answer, flags=re.MULTILINE)[1:]
    return [
        f"{behind:08x} {place(block.splitlines(), cxx)}\n"
        for (_, behind), block in zip(found, blocks, strict=True)
    ]


def main(arguments: list[str]) -> int:
    """Write OUT atomically. Returns the exit status."""
    if len(arguments) != 3:
        print("check_locations.py LIBRARY CXX OUT", file=sys.stderr)
        return 2
    library, cxx, out = map(Path, arguments)
    try:
        text = "".join(sorted(places(library, cxx)))
    except (OSError, subprocess.CalledProcessError, ValueError):
        text = ""
    beside = out.with_name(out.name + ".tmp")
    beside.write_text("\n" + text)
    os.replace(beside, out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
