"""Rewrite one unit: collect the edits of all rules, apply them, emit C++ with `#line`."""

from __future__ import annotations

import re
from collections import Counter

from attrs import frozen

from porter.rewrite.early_exits import Pair, early_exits
from porter.rewrite.engine import apply_edits
from porter.rewrite.facts import UnitFacts, collect
from porter.rewrite.program import WholeProgram
from porter.rewrite.rules.unknown import Unknown
from porter.rewrite.walk import collect_edits
from porter.syntax.node import Unit

PRELUDE = '#include "porter_runtime.h"\n'
_MARKER = re.compile(r'^# (\d+) ("(?:[^"\\]|\\.)*").*$', re.MULTILINE)
_LEFT_OUT = re.compile(r'^# \d+ "<(?:built-in|command-line|command line)>".*\n', re.MULTILINE)


@frozen
class Rewritten:
    """The result of rewriting a unit: its C++, edit counts by rule, pairs of early exits."""

    unit: str
    text: str
    edits: dict[str, int]
    pairs: tuple[Pair, ...] = ()


def unit_facts(unit: Unit) -> UnitFacts:
    """Return the facts of a parsed unit.

    Raises:
        UnknownConstruct: The unit has a type that libclang's Python bindings do not know, and
            contains a word that no rule knows.
    """
    try:
        return collect(unit)
    except ValueError:
        Unknown(unit, WholeProgram()).check_words()
        raise


def rewrite_unit(unit: Unit, program: WholeProgram) -> Rewritten:
    """Rewrite a parsed unit.

    Raises:
        UnknownConstruct: A rule refuses a construct.
    """
    edits = collect_edits(unit, program)
    text = apply_edits(unit.name, unit.text, edits)
    text = _MARKER.sub(r"#line \1 \2", _LEFT_OUT.sub("", text))
    counts = Counter(edit.rule for edit in edits)
    return Rewritten(unit.name, PRELUDE + text, dict(counts), early_exits(unit, program))
