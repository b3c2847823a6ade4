"""Makes preprocessed text a file that other compilers can begin with: `python prelude.py IN OUT`.

IN is what `g++ -E -dD` wrote. What the compiler itself and its options define is left out, for the
next one has its own, and so are marks of lines, which name folders of the machine that builds.
The build starts this file by its path, so it imports the standard library alone.
"""

import os
import re
import sys

_MARK = re.compile(r'# \d+ "([^"]*)"')


def prelude(text: str) -> str:
    """The lines of files in `text`."""
    kept, of_file = [], False
    for line in text.splitlines(keepends=True):
        if (mark := _MARK.match(line)) is not None:
            of_file = not mark[1].startswith("<")  # <built-in>, <command-line>
        elif of_file and line.strip():
            kept.append(line)
    return "".join(kept)


def main(arguments: list[str]) -> int:
    """Write OUT beside and rename it; the exit status."""
    if len(arguments) != 2:
        print("prelude.py IN OUT", file=sys.stderr)
        return 2
    source, target = arguments
    with open(source, encoding="utf-8", errors="surrogateescape") as file:
        text = prelude(file.read())
    with open(source, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    os.replace(source, target)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
