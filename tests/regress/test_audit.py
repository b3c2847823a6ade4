"""Porter's code depends on no single release: it names no release and no list of its files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import porter
from porter.base import paths

RELEASE = re.compile(r"(?<![\d.])1\.(?:[2-9]\d)(?:\.\d+)?(?![\d.])")
FILE = re.compile(r"\b(?:py|extmod|shared|lib)/[\w./]+\.(?:c|h|mk)\b|\bpy/make\w+\.py\b")

OLDEST = {"1.24"}  # the first release that is supported (porter/sync/gitrepo.py)
# The files that identify a MicroPython tree, and files that list others.
ANCHORS = {
    "py/mpconfig.h",
    "py/mkenv.mk",
    "py/py.mk",
    "py/makeqstrdefs.py",
    "extmod/extmod.mk",
    "py/emitglue.h",  # the type of frozen modules' table
    "py/frozenmod.c",  # in a comment of generated text
    "py/bc0.h",  # the compiled tier reads instructions there,
    "py/makeqstrdata.py",  # and names that the release knows by number
    "py/grammar.h",  # the first tokens of its rules are read from it,
    "py/lexer.h",  # with the tokens' names;
    "py/parse.c",  # in a comment of generated text
}


def strings(file: Path) -> Iterator[str]:
    """Yield the string constants of a Python file, without docstrings."""
    tree = ast.parse(file.read_text())
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


def test_no_release_and_no_list_of_files_in_code() -> None:
    releases: dict[str, str] = {}
    files: dict[str, str] = {}
    for path in Path(porter.__path__[0]).rglob("*.py"):
        for text in strings(path):
            releases |= dict.fromkeys(RELEASE.findall(text), path.name)
            files |= dict.fromkeys(FILE.findall(text), path.name)
    assert {name: where for name, where in releases.items() if name not in OLDEST} == {}
    assert {name: where for name, where in files.items() if name not in ANCHORS} == {}


def test_the_port_picks_few_files_of_upstream() -> None:
    text = (paths.templates_dir() / "port" / "mpconfigport.mk").read_text()
    picked = re.findall(r"^SRC_SHARED_C\s*\+?=(.*)$", text, re.MULTILINE)
    assert 0 < len(" ".join(picked).split()) < 10
