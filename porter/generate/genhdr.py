"""Run upstream's own py/make*.py scripts to make the headers in genhdr/, and add porter's tables.

Tables of qstrs are one for each ASCII character, and a hash table of all constant qstrs.

Every loop over a text, and every index into one, produces a text of one character. Upstream hashes
it, searches all qstrs and interns a new one in each interpreter (`qstr_from_strn`, py/qstr.c). Here
each printable character is a qstr of the build, which the patch `characters` looks up in the table.

Upstream searches every new short string among the constant qstrs (`qstr_find_strn`, py/qstr.c). The
search reads the whole unsorted pool and bisects the sorted one, mostly without a match. The patch
`texts` reads the hash table instead (`qstr_table.py`).
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from porter.base import process
from porter.errors import GenerateFailed, ToolFailed
from porter.generate.builtins import let_frozen_extend
from porter.generate.frozen import FrozenFile
from porter.generate.grammar_tables import SOURCE, Grammar, chains_header, first_tokens_header
from porter.generate.preprocessor import CC, preprocess_error
from porter.generate.qstr_table import constant_texts, table_of

CHARACTERS = "".join(map(chr, range(0x20, 0x7F)))
_SIZE = 0x80
_CHARACTER_QDEF = re.compile(r'^QDEF\d?\((\w+), \d+, 1, ("(?:[^"\\]|\\.+)")\)$', re.MULTILINE)
_CHARACTERS_HEAD = """\
// Written by porter: of each byte the qstr of the text that it is; MP_QSTRnull: there is none.
static const uint16_t gpusnek_characters[] = {{
    {qstrs}
}};
"""


def character_qstrs() -> str:
    """Return lines that upstream's py/makeqstrdata.py reads as qstrs."""
    return "".join(f"Q({character})\n" for character in CHARACTERS)


def characters_header(generated: str) -> str:
    """Return the header for the text of qstrdefs.generated.h.

    Raises:
        GenerateFailed: A character is not among the qstrs.
    """
    found = {ast.literal_eval(text): name for name, text in _CHARACTER_QDEF.findall(generated)}
    missing = "".join(c for c in CHARACTERS if c not in found)
    if missing:
        raise GenerateFailed(
            f"upstream's list of qstrs has none for {missing!r}",
            hint="Compare py/makeqstrdata.py with porter/generate/genhdr.py.",
        )
    names = [found.get(chr(number), "MP_QSTRnull") for number in range(_SIZE)]
    rows = (names[at : at + 8] for at in range(0, _SIZE, 8))
    return _CHARACTERS_HEAD.format(qstrs="\n    ".join(", ".join(row) + "," for row in rows))


def table_header(generated: str) -> str:
    """Return the header with the hash table for the text of qstrdefs.generated.h.

    Raises:
        GenerateFailed: The text has another form, or the qstrs have no table.
    """
    head = "// Written by porter: the hash table of the constant qstrs (port/qstrsearch.h).\n"
    return head + table_of(constant_texts(generated)).definitions()


_QSTR_LINE = re.compile(r"^(Q\(.*\))", re.MULTILINE)
_QUOTED_QSTR_LINE = re.compile(r'^"(Q\(.*\))"', re.MULTILINE)

QSTRS = "qstrdefs.preprocessed.h"  # the constant qstrs, as upstream's scripts list them
NUMBERED = "qstrdefs.generated.h"  # the constant qstrs with their lengths and hashes, by number
TABLE = "qstrtable.h"  # the hash table of the constant qstrs, for a build without frozen modules

# A fixed date, so that builds do not depend on the day.
_SOURCE_DATE_EPOCH = "0"


def _script(upstream: Path, name: str, *args: str | Path, env: dict[str, str] | None = None) -> str:
    path = upstream / "py" / name
    if not path.is_file():
        raise GenerateFailed(f"{path} is missing", hint="Sync the release again.")
    try:
        done = process.run([sys.executable, "-B", path, *args], env=env, timeout=600, check=False)
    except ToolFailed as error:
        raise GenerateFailed(f"upstream's py/{name} failed: {error}") from error
    if done.returncode == 0:
        return done.stdout
    # Search all of the output: the preprocessor's error stands above the script's traceback.
    refused = preprocess_error(done.output, upstream)
    shown = process.tail(done.output)
    raise refused or GenerateFailed(f"upstream's py/{name} failed: {shown}")


def write_version(upstream: Path, release: str, genhdr: Path) -> None:
    """Write mpversion.h from the release's name; git is not consulted."""
    env = {
        "MICROPY_GIT_TAG": f"v{release}",
        "MICROPY_GIT_HASH": f"v{release}",
        "SOURCE_DATE_EPOCH": _SOURCE_DATE_EPOCH,
    }
    _script(upstream, "makeversionhdr.py", genhdr / "mpversion.h", env=env)


def write_headers(
    upstream: Path,
    sources: Sequence[Path],
    flags: Sequence[str],
    genhdr: Path,
    scratch: Path,
    files: Sequence[FrozenFile] = (),
) -> None:
    """Write the headers of qstrs, modules and root pointers, and the tables of the grammar.

    Args:
        upstream: The release's folder.
        sources: The files whose qstrs, modules and root pointers are collected.
        flags: Options of the preprocessor.
        genhdr: The folder of the headers.
        scratch: A folder for intermediate files.
        files: The frozen modules, which take precedence over built-in modules.

    Raises:
        UsageError: A frozen module has a name that it cannot have.
    """
    preprocessed = preprocessed_grammar(flags)
    _write(genhdr / "firsttokens.h", first_tokens_header(preprocessed))
    _write(genhdr / "rulechains.h", chains_header(Grammar.read(preprocessed)))
    collected = scratch / "collected.i"
    _script(
        upstream, "makeqstrdefs.py", "pp", CC, "-E", "output", collected,
        "cflags", *flags, "-DNO_QSTR", "cxxflags", "sources", *sources,
        "dependencies", "changed_sources", *sources,
    )  # fmt: skip
    lists = {mode: _collect(upstream, mode, collected, scratch)
             for mode in ("qstr", "module", "root_pointer")}  # fmt: skip
    registered = lists["module"].read_text(encoding="utf-8")
    _write(lists["module"], let_frozen_extend(registered, files))
    _write(genhdr / "moduledefs.h", _script(upstream, "makemoduledefs.py", lists["module"]))
    _write(
        genhdr / "root_pointers.h",
        _script(upstream, "make_root_pointers.py", lists["root_pointer"]),
    )
    _write_qstrs(upstream, lists["qstr"], flags, genhdr, scratch)


def preprocessed_grammar(flags: Sequence[str]) -> str:
    """Return upstream's grammar after the preprocessor, for porter.generate.grammar_tables."""
    return process.run([CC, "-E", "-P", "-DNO_QSTR", *flags, "-"], input=SOURCE, timeout=120).stdout


def _collect(upstream: Path, mode: str, collected: Path, scratch: Path) -> Path:
    folder, result = scratch / mode, scratch / f"{mode}.collected"
    _script(upstream, "makeqstrdefs.py", "split", mode, collected, folder, "_")
    _script(upstream, "makeqstrdefs.py", "cat", mode, "_", folder, result)
    return result


def _write_qstrs(
    upstream: Path, collected: Path, flags: Sequence[str], genhdr: Path, scratch: Path
) -> None:
    # The core's list contains #if lines, so it is preprocessed. Quotes around each qstr prevent
    # macro expansion.
    text = (upstream / "py" / "qstrdefs.h").read_text() + collected.read_text()
    quoted = _QSTR_LINE.sub(r'"\1"', text)
    done = process.run([CC, "-E", "-P", *flags, "-"], input=quoted, timeout=120)
    preprocessed = genhdr / QSTRS  # no unit includes it: upstream's mpy-tool.py reads it
    _write(preprocessed, _QUOTED_QSTR_LINE.sub(r"\1", done.stdout) + character_qstrs())
    generated = _script(upstream, "makeqstrdata.py", preprocessed)
    _write(genhdr / NUMBERED, generated)
    _write(genhdr / TABLE, table_header(generated))
    _write(genhdr / "characters.h", characters_header(generated))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
