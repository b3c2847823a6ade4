"""HTML of arrays, outcomes and exceptions in notebooks: escaped, and of bounded size."""

from __future__ import annotations

import numpy as np
import pytest

from porter.array import Exceptions
from tests.array.conftest import Make
from tests.hypertext import check_tags

EVIL = "print('<img src=x onerror=alert(1)>\\x1b[1m', end='')"


def test_an_array(make: Make) -> None:
    array = make(7)
    array.bind("mine", array.device.xp.zeros((7, 2)), split=True)
    html = array._repr_html_()
    check_tags(html)
    assert f"7 interpreters on {array.device.name}" in html
    assert "mine" in html and "float64[7, 2]" in html and "ready" in html
    call = array.exec("import time\ntime.sleep(0.5)", wait=False)
    assert "running" in array._repr_html_()  # the representation does not wait for the launch
    call.result()
    array.close()
    assert "closed" in array._repr_html_()


def test_an_outcome(make: Make) -> None:
    array = make(6)
    outcome = array.exec(EVIL + "\nassert threadIdx % 3, '<b>bold'", check=False)
    html = outcome._repr_html_()
    check_tags(html)
    assert "&lt;img src=x onerror=alert(1)&gt;\\x1b[1m" in html
    assert "6 interpreters" in html and "2 failed" in html and "AssertionError: &lt;b&gt;" in html
    assert html.count("Traceback") == 1  # of the exceptions, not repeated from stderr


def test_stderr_without_the_tracebacks(make: Make) -> None:
    source = "import sys\nif threadIdx: print('said', file=sys.stderr)\nif threadIdx > 2: 1 / 0"
    html = make(4).exec(source, check=False)._repr_html_()
    assert "<b>3x</b>" in html and "said" in html and html.count("Traceback") == 1


def test_exceptions(make: Make) -> None:
    array = make(40)
    array.exec("raise ValueError(threadIdx // 2)", check=False)
    html = array.exceptions._repr_html_()
    check_tags(html)
    assert html.count("<b>2x: ") == 10 and "and 10 more different exceptions" in html
    one = next(raised for raised in array.exceptions if raised.message == "7")
    assert "14, 15" in one._repr_html_() and "2x" in one._repr_html_()
    array.exec("assert False", check=False)
    assert check_tags(array.exceptions._repr_html_()).count("AssertionError") == 1
    assert "no exceptions" in Exceptions([], np.full(3, -1))._repr_html_()


@pytest.mark.parametrize(
    "source", ["print('x' * 900, threadIdx)", "raise ValueError('x' * 900, threadIdx)"]
)
def test_many_interpreters_give_little_html(make: Make, source: str) -> None:
    array = make(3000, stdout=1024, stderr=2048)
    html = array.exec(source, check=False)._repr_html_()
    check_tags(html)
    assert len(html) < 60_000
