"""Collect the cases of every rule, from the file with the rule's name.

SNIPPETS, by name: whole units, which both compilers accept after all rules ran. The output of the
rule alone is a snapshot.
REFUSED: constructs that the rule refuses, and the reason.
MEETS, by an earlier rule's name: a unit that both rules edit at one place.
"""

from __future__ import annotations

from importlib import import_module

from porter.rewrite.rules import RULES

from ..case import Refused

_CASES = {rule.name: import_module(f"{__name__}.{rule.name}") for rule in RULES}

SNIPPETS: dict[str, dict[str, str]] = {
    rule: cases.SNIPPETS for rule, cases in _CASES.items() if hasattr(cases, "SNIPPETS")
}
REFUSED: list[tuple[str, Refused]] = [
    (rule, case) for rule, cases in _CASES.items() for case in getattr(cases, "REFUSED", ())
]
# (earlier rule, later rule) to C.
MEETINGS: dict[tuple[str, str], str] = {
    (earlier, rule): text
    for rule, cases in _CASES.items()
    for earlier, text in getattr(cases, "MEETS", {}).items()
}
