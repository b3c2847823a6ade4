"""HTML of untrusted text: escaped, readable, bounded."""

from __future__ import annotations

import pytest
from markupsafe import Markup

from porter.base import markup

EVIL = '<script>alert("1")</script>&amp;'


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        (b"a\tb\nc", "a\tb\nc"),
        (b"one\r\ntwo\rthree", "one\ntwo\\rthree"),
        (b"\x1b[31mred\0\x7f", "\\x1b[31mred\\x00\\x7f"),
        (b"\xff\xc3\xa9\xc3", "\\xff\u00e9\\xc3"),
        ("\u202eevil\u2066\ud800", "\\u202eevil\\u2066\\ud800"),
        ("\u2028\x85", "\\u2028\\x85"),
        ("\U0001f40d \u00fc", "\U0001f40d \u00fc"),
    ],
)
def test_what_has_no_picture_is_written_out(text: bytes | str, seen: str) -> None:
    assert markup.visible(text) == seen


@pytest.mark.parametrize(
    "html",
    [
        markup.block(EVIL),
        markup.block(EVIL.encode()),
        markup.banner(EVIL),
        markup.note(EVIL),
        markup.table([(EVIL, "x")], head=(EVIL,)),
        markup.panel(EVIL),
        markup.progress(EVIL, 1, 2),
    ],
)
def test_everything_is_escaped(html: Markup) -> None:
    assert "<script" not in html and "&lt;script&gt;" in html and "&amp;amp;" in html


def test_parts_of_html_stand_as_they_are() -> None:
    inner = markup.table([(Markup("<b>x</b>"), 7)])
    assert "<b>x</b>" in inner and ">7<" in inner
    assert inner in markup.panel("t", inner)


def test_long_texts_are_cut() -> None:
    assert markup.shortened("abc", 3) == "abc"
    assert markup.shortened("abcdef", 3) == "abc\n... and 3 more characters\n"
    assert markup.shortened(b"\xff" * 5000, 4) == "\\xff" * 4 + "\n... and 4,996 more bytes\n"
    assert len(markup.block("x" * 10**6)) < 2 * markup.MOST_TEXT


def test_a_bar_knows_how_far_it_is_or_not() -> None:
    assert 'max="10" value="3"' in markup.progress("", 3, 10)
    assert "value=" not in markup.progress("", None, 10)
