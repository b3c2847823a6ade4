"""Run upstream's own py/make*.py scripts to make the headers in genhdr/."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from porter.base import process
from porter.errors import GenerateFailed, ToolFailed
from porter.generate.grammar_tables import SOURCE, Grammar, chains_header, first_tokens_header
from porter.generate.preprocessor import CC, preprocess_error
from porter.generate.qstr_tables import character_qstrs, characters_header, filter_header

_QSTR_LINE = re.compile(r"^(Q\(.*\))", re.MULTILINE)
_QUOTED_QSTR_LINE = re.compile(r'^"(Q\(.*\))"', re.MULTILINE)

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
    upstream: Path, sources: Sequence[Path], flags: Sequence[str], genhdr: Path, scratch: Path
) -> None:
    """Write the headers of qstrs, modules and root pointers, and the tables of the grammar.

    Args:
        upstream: The release's folder.
        sources: The files whose qstrs, modules and root pointers are collected.
        flags: Options of the preprocessor.
        genhdr: The folder of the headers.
        scratch: A folder for intermediate files.
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
    done = process.run([CC, "-E", *flags, "-"], input=quoted, timeout=120)
    preprocessed = scratch / "qstrdefs.preprocessed.h"
    _write(preprocessed, _QUOTED_QSTR_LINE.sub(r"\1", done.stdout) + character_qstrs())
    generated = _script(upstream, "makeqstrdata.py", preprocessed)
    _write(genhdr / "qstrdefs.generated.h", generated)
    _write(genhdr / "qstrfilter.h", filter_header(generated))
    _write(genhdr / "characters.h", characters_header(generated))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
