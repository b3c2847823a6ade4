"""What people read about the rules: the table of edits per release, and every rule's example."""

from __future__ import annotations

import re
from collections.abc import Mapping

from porter.rewrite.rule import Rule
from porter.rewrite.rules import RULES

Counts = Mapping[str, Mapping[str, int]]  # release to rule to number of edits


def description(rule: type[Rule]) -> str:
    """The rule's one line."""
    return rule.__doc__ or ""


def edits_table(counts: Counts) -> str:
    """Rules by releases, as Markdown; a rule without edits in a release shows 0."""
    releases = list(counts)
    lines = ["| rule | " + " | ".join(releases) + " |", "|---" * (len(releases) + 1) + "|"]
    for rule in RULES:
        cells = [f"{counts[release].get(rule.name, 0):,}" for release in releases]
        lines.append(f"| {rule.name} | " + " | ".join(cells) + " |")
    totals = [f"{sum(counts[release].values()):,}" for release in releases]
    lines.append("| **all** | " + " | ".join(totals) + " |")
    return "\n".join(lines) + "\n"


def rules_text() -> str:
    """Every rule in order with its line and its example, as Markdown."""
    parts = []
    for number, rule in enumerate(RULES, 1):
        example = rule.example
        parts.append(f"### {number}. {rule.name}\n\n{description(rule)}\n")
        if example.before == example.after:
            parts.append(f"```c\n{example.before.strip()}\n```\n\nstays as it is.\n")
        else:
            parts.append(
                f"```c\n{example.before.strip()}\n```\n\n```c++\n{example.after.strip()}\n```\n"
            )
    return "\n".join(parts)


def put_between(text: str, name: str, content: str) -> str:
    """`text` with `content` between its markers `<!-- name -->` and `<!-- end of name -->`.

    Raises:
        ValueError: the text lacks one of the markers.
    """
    start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    pattern = re.escape(start) + ".*?" + re.escape(end)
    found = re.search(pattern, text, re.DOTALL)
    if found is None:
        raise ValueError(f"no markers {start.strip()} and {end.strip()}")
    return f"{text[: found.start()]}{start}\n{content}\n{end}{text[found.end() :]}"
