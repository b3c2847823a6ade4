"""Docstrings and comments of porter, as the API reference shows them."""

from __future__ import annotations

import ast
import inspect
import sys
from pathlib import Path
from types import ModuleType

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "website"))


@pytest.fixture
def docstrings() -> ModuleType:
    pytest.importorskip("griffe", reason="griffe is missing: install .[site]")
    import docstrings

    return docstrings


@pytest.mark.parametrize(
    ("paragraph", "shown"),
    [
        (
            "n: how many. heap,\nstdout: bytes.",
            "\n\n- **n**: how many.\n- **heap, stdout**: bytes.",
        ),
        ("Starts. n: how many of\nthem.", "Starts.\n\n- **n**: how many of them."),
        ("n: how many. Raises Wrong.", "\n\n- **n**: how many.\n\nRaises Wrong."),
        ("Prints this: n, as it is.", "Prints this: n, as it is."),
        ("other: no name of these.", "other: no name of these."),
    ],
)
def test_explanations_are_a_list(docstrings: ModuleType, paragraph: str, shown: str) -> None:
    assert docstrings.listed(paragraph, {"n", "heap", "stdout"}) == shown
    assert docstrings.listed(paragraph, ()) == paragraph


def test_sections_have_headings_and_entries(docstrings: ModuleType) -> None:
    text = """Return n.

    Args:
        n: How many,
            at least 1.
        heap, stdout: Bytes (docs/reference/limits.md).

    Returns:
        The number,
        or None.

    Raises:
        UsageError: `n` is 0."""
    shown = docstrings.readable(inspect.cleandoc(text), {"n"})
    assert shown.split("\n\n") == [
        "Return n.",
        "**Arguments**",
        "- **n**: How many, at least 1.\n"
        "- **heap, stdout**: Bytes ([reference/limits](../reference/limits.md)).",
        "**Returns**: The number, or None.",
        "**Raises**",
        "- **UsageError**: `n` is 0.",
    ]


def test_documents_are_links(docstrings: ModuleType) -> None:
    assert docstrings.linked("See docs/lab/gpu.md.") == "See [lab/gpu](../lab/gpu.md)."
    assert docstrings.linked("`docs/how-to/repl.md`") == "`docs/how-to/repl.md`"


def test_comments_of_fields(docstrings: ModuleType) -> None:
    lines = [
        "class A:",
        "    # Two",
        "    # lines.",
        "    a: int = 1",
        "    b: int  # behind",
        "    c = 2",
    ]
    assert [docstrings.comment(lines, i, i) for i in (3, 4, 5)] == ["Two lines.", "behind", ""]


@pytest.mark.parametrize(
    ("field", "value"), [("field(default=3, repr=False)", "3"), ("field(factory=dict)", None)]
)
def test_defaults_of_fields(docstrings: ModuleType, field: str, value: str | None) -> None:
    call = ast.parse(field, mode="eval").body
    assert isinstance(call, ast.Call) and docstrings.default(call) == value
