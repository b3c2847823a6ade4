"""Generate the parts of docs/reference/rules.md: each rule's example, and the edits per release."""

from __future__ import annotations

import re
from collections.abc import Mapping

from porter.rewrite.rule import Rule
from porter.rewrite.rules import RULES

Counts = Mapping[str, Mapping[str, int]]  # release to rule to number of edits


def description(rule: type[Rule]) -> str:
    """Return the one-line description of a rule: its class docstring."""
    return rule.__doc__ or ""


def edits_table(counts: Counts) -> str:
    """Return a Markdown table of edits, rules by releases."""
    releases = list(counts)
    lines = ["| rule | " + " | ".join(releases) + " |", "|---" * (len(releases) + 1) + "|"]
    for rule in RULES:
        cells = [f"{counts[release].get(rule.name, 0):,}" for release in releases]
        lines.append(f"| {rule.name} | " + " | ".join(cells) + " |")
    totals = [f"{sum(counts[release].values()):,}" for release in releases]
    lines.append("| **all** | " + " | ".join(totals) + " |")
    return "\n".join(lines) + "\n"


def rules_text() -> str:
    """Return the rules in order, each with its description and example, as Markdown."""
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
    """Replace the text between the markers `<!-- name -->` and `<!-- end of name -->`.

    Args:
        text: The page.
        name: The name of the section.
        content: The new text of the section.

    Returns:
        The page with the new section.

    Raises:
        ValueError: The page lacks one of the markers.
    """
    start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    pattern = re.escape(start) + ".*?" + re.escape(end)
    found = re.search(pattern, text, re.DOTALL)
    if found is None:
        raise ValueError(f"no markers {start.strip()} and {end.strip()}")
    return f"{text[: found.start()]}{start}\n{content}\n{end}{text[found.end() :]}"
