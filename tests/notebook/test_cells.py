"""Cells in a kernel: persistent state, input and output of values, displayed output."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable

import pytest

from tests.hypertext import check_tags
from tests.notebook.executing import Execute, Ran

Image = pytest.importorskip("PIL.Image")

CELLS = {
    "nothing": "%gpusnek",
    "first": "%%gpusnek -n 30 --build BUILD\nx = threadIdx % 3\nprint('hello', x)",
    "second": "%%gpusnek\nx += 1\nx * 10",
    "hidden": "%%gpusnek\nx;",
    "none": "%%gpusnek\nprint('a') if x > 2 else None",
    "line": "%gpusnek --max-groups 1 {'x': x}",
    "minus": "%gpusnek -- -x + 1",
    "expanded": "size = 12\n%gpusnek -n {size} numThreads",
    "changed": "%gpusnek 'x' in globals()",
    "named": "%%gpusnek --name other -n 2\nwho = 'other'",
    "both": "%gpusnek 'who' in globals()",
    "status": "%gpusnek",
    "data": "import numpy as np\nrows = np.arange(24.).reshape(12, 2)\nwhole = np.arange(5)\n"
    "each = [str(i) for i in range(12)]\nfixed = np.ones(12)\nfixed.flags.writeable = False\nk = 7",
    "bind": "%%gpusnek --bind rows,whole --bind each,fixed,k --get total, --get name\n"
    "total = rows[0] + rows[1] + whole[4] * fixed[0] + k\nrows[1] = -1\nname = each",
    "bound": "print(total.tolist(), name, rows[:, 1].sum())",
    "shared": "%%gpusnek --share rows\nlen(rows)",
    "picture": "%%gpusnek\ni = threadIdx\noutbuf[i * 3:i * 3 + 3] = [20 * i, 1, 255]\noutbuf",
    "sized": "%gpusnek --image 4x3",
    "python": "from porter.notebook import interpreters\ninterpreters('other').eval('who')",
    "barrier": "%%gpusnek\nsyncthreads()\nprint('after')",
    "stdin": "open('line.txt', 'w').write('typed')",
    "read": "%%gpusnek --stdin-file line.txt\nprint(input(), end='')",
    "reset": "%gpusnek --reset 'x' in globals(), numThreads",
    "close": "%gpusnek --name other --close",
    "help": "%gpusnek --help",
    "evil": "%%gpusnek --name <i>\nimport sys\n"
    "print('<script>alert(1)</script>\\x1b[31m', end='')\n"
    "sys.stdout.buffer.write(b'\\xff\\0')\nprint('\\u202e', file=sys.stderr)\n"
    "raise ValueError('<img src=x>\\x1b[0m')",
}


@pytest.fixture(scope="module")
def ran(execute: Execute) -> Callable[[str], Ran]:
    found = dict(zip(CELLS, execute(*CELLS.values()), strict=True))
    return found.__getitem__


def test_variables_stay(ran: Callable[[str], Ran]) -> None:
    assert ran("nothing").text == "no interpreters yet: a %%gpusnek cell makes them"
    groups = "----- 10x -----\n"
    assert ran("first").text == (
        f"30 interpreters on host\n{groups}hello 0\n{groups}hello 1\n{groups}hello 2"
    )
    assert ran("second").text == f"{groups}10\n{groups}20\n{groups}30"
    assert check_tags(ran("second").html) == "10x10\n10x20\n10x30\n"


def test_the_last_value_is_shown_as_a_prompt_shows_it(ran: Callable[[str], Ran]) -> None:
    assert not ran("hidden").cell.outputs
    assert ran("none").text == "----- 20x -----\n----- 10x -----\na"
    more = "2 more different outputs of 20 interpreters"
    assert ran("line").text == f"----- 10x -----\n{{'x': 1}}\n----- {more} -----"
    assert ran("minus").text.split("\n")[1::2] == ["-1", "-2", "0"]


def test_another_number_makes_others_and_says_so(ran: Callable[[str], Ran]) -> None:
    said = "12 interpreters on host; the 30 before them have ended, with their variables"
    assert ran("expanded").text == f"{said}\n12"
    assert ran("changed").text == "False"


def test_names_keep_interpreters_apart(ran: Callable[[str], Ran]) -> None:
    assert ran("named").text == "other: 2 interpreters on host"
    assert ran("both").text == "False"
    lines = ran("status").text.split("\n")
    assert [line.split(":")[0] for line in lines] == ["main", "other"]
    assert "12 interpreters on host: state ready, heap " in lines[0]
    assert "other: 2 interpreters" in check_tags(ran("status").html)
    assert ran("python").text == "['other', 'other']"


def test_arrays_go_in_and_come_back(ran: Callable[[str], Ran]) -> None:
    assert not ran("bind").error
    totals = [4.0 * i + 1 + 4 + 7 for i in range(12)]
    names = [str(i) for i in range(12)]
    assert ran("bound").text == f"{totals} {names} -12.0"
    assert ran("shared").text == "24"


def test_outbuf_is_a_picture(ran: Callable[[str], Ran]) -> None:
    assert ran("picture").text == "outbuf: 3x3 pixels"
    for name, size in (("picture", (3, 3)), ("sized", (4, 3))):
        (data,) = ran(name).data("image/png")
        with Image.open(io.BytesIO(base64.b64decode(data))) as image:
            factor = -(-256 // max(size))
            assert image.size == (size[0] * factor, size[1] * factor)
            shown = image.convert("RGB")
            for i in range(9):
                at = (i % size[0] * factor, i // size[0] * factor)
                assert shown.getpixel(at) == (255, 1, 20 * i)


def test_options_of_a_launch(ran: Callable[[str], Ran]) -> None:
    assert ran("barrier").text == "after"
    assert ran("read").text == "typed"
    assert ran("reset").text.endswith("with their variables\n(False, 12)")
    assert ran("close").text == "2 interpreters have ended"
    assert "--max-steps" in ran("help").text and not ran("help").error


def test_output_is_text_whatever_it_holds(ran: Callable[[str], Ran]) -> None:
    evil = ran("evil")
    shown = "<script>alert(1)</script>\\x1b[31m\\xff\\x00"
    assert evil.text == f"<i>: 1,024 interpreters on host\n{shown}\n\\u202e"
    assert check_tags(evil.html) == f"<i>: 1,024 interpreters on host{shown}\\u202e\n"
    assert "ValueError: <img src=x>\\x1b[0m" in evil.error
