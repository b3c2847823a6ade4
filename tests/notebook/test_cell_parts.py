"""The options of a line, and the transformation of a cell before it runs."""

from __future__ import annotations

import pytest

pytest.importorskip("IPython", reason="a machine for GPU tests alone may lack Jupyter")

from porter.errors import UsageError
from porter.notebook.cell_program import of_cell, showing
from porter.notebook.options import SQUARE, parse, split_line
from porter.notebook.tracebacks import Excerpts


@pytest.mark.parametrize(
    ("line", "words", "code"),
    [
        ("", [], ""),
        ("x + 1", [], "x + 1"),
        ("-n 5 print('it''s')", ["-n", "5"], "print('it''s')"),
        ("-n5 --live  x", ["-n5", "--live"], "x"),
        ("--heap=4K 'a b'", ["--heap=4K"], "'a b'"),
        ("--name 'a b' c", ["--name", "a b"], "c"),
        ("-n 3 -- -x", ["-n", "3"], "-x"),
        ("--", [], ""),
        ("--image x", ["--image=square"], "x"),
        ("--image 4x4 x", ["--image", "4x4"], "x"),
        ("--image", ["--image=square"], ""),
        ("-n", ["-n"], ""),
        ("x -n 5", [], "x -n 5"),
        ("--no-sandbox {1: 2}", ["--no-sandbox"], "{1: 2}"),
    ],
)
def test_a_line_is_options_and_code(line: str, words: list[str], code: str) -> None:
    assert split_line(line) == (words, code)


def test_options() -> None:
    request = parse(["-n", "3", "--heap", "16K", "--bind", "a,b", "--bind", "c", "--image"])
    assert request is not None
    assert request.making == {"n": 3, "heap": 16384}
    assert request.bind == ("a", "b", "c") and request.image == SQUARE and request.get == ()
    assert parse(["--help"]) is None
    with pytest.raises(UsageError, match="No such option"):
        parse(["--helpme"])
    for size in ("0x4", "4x0", "4x"):
        with pytest.raises(UsageError, match=f"--image: '{size}' is not a size"):
            parse(["--image", size])


@pytest.mark.parametrize(
    ("source", "program"),
    [
        ("x", "__repl_print__((x))"),
        ("a = 1\nx + (\n 1)  # c", "a = 1\n__repl_print__((x + (\n 1)))  # c"),
        ("x;", "x;"),
        ("(x) ; # c", "(x) ; # c"),
        ("y; x", "y; __repl_print__((x))"),
        ("'\u00e9'; '\u00e9' + x", "'\u00e9'; __repl_print__(('\u00e9' + x))"),
        ("*a, b", "__repl_print__((*a, b))"),
        ("x = 1", "x = 1"),
        ("for i in x:\n    i", "for i in x:\n    i"),
        ("for in x", "for in x"),
        ("# nothing", "# nothing"),
        ("", ""),
        ("'\\d'", "__repl_print__(('\\d'))"),
        ("'\ud800'", "'\ud800'"),
        ("(" * 3000, "(" * 3000),
    ],
)
def test_the_last_expression_is_printed(source: str, program: str) -> None:
    assert showing(source) == (program, False)


def test_outbuf_is_not_printed() -> None:
    assert showing("x = 1\noutbuf") == ("x = 1\noutbuf", True)
    assert showing("outbuf[0]") == ("__repl_print__((outbuf[0]))", False)


def test_lines_of_a_program_are_those_of_its_cell() -> None:
    cell = of_cell(7, "%%gpusnek -n 3 ", "a\nb")
    assert cell.name == "<cell 7>" and cell.source == "%%gpusnek -n 3\na\nb"
    assert cell.program == "\na\n__repl_print__((b))"
    assert cell.program.split("\n")[1] == cell.source.split("\n")[1]


def test_a_frame_of_what_is_no_cell_has_no_excerpt() -> None:
    text = (
        'Traceback (most recent call last):\n  File "x.py", line 1\n  File "<c>", line 99\nE: a\n'
    )
    lines = Excerpts({"<c>": "one"}).traceback(text)
    assert len(lines) == 4 and lines[-1] == "\x1b[31mE: a\x1b[0m"


def test_a_recursion_is_counted() -> None:
    frame = '  File "<c>", line 1, in f\n'
    text = f"Traceback (most recent call last):\n{frame * 500}RuntimeError: deep\n  two\n"
    lines = Excerpts({"<c>": "def f(): return f()"}).traceback(text)
    assert [line.count("return f()") for line in lines] == [0, 0, 1, 0, 0, 0]
    assert lines[3] == "  ... and 499 more such frames"
    assert "RuntimeError: deep" in lines[4] and lines[5] == "\x1b[31m  two\x1b[0m"
