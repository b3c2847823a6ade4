"""Make preprocessed text a prelude that other compilers can read: `python prelude.py IN OUT`.

IN is the output of `g++ -E -dD`. Two kinds of lines are left out: definitions by the compiler and
its options, since the next compiler has its own, and line markers, since they name folders of the
building machine. Ninja runs this file by its path, so it imports the standard library only.
"""

import os
import re
import sys

_MARK = re.compile(r'# \d+ "([^"]*)"')


def prelude(text: str) -> str:
    """Return the lines of `text` that come from files."""
    kept, of_file = [], False
    for line in text.splitlines(keepends=True):
        if (mark := _MARK.match(line)) is not None:
            of_file = not mark[1].startswith("<")  # <built-in>, <command-line>
        elif of_file and line.strip():
            kept.append(line)
    return "".join(kept)


def main(arguments: list[str]) -> int:
    """Write OUT atomically. Returns the exit status."""
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
