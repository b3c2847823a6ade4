"""Strings of one character are qstrs of every build, and the table finds the right one."""

from __future__ import annotations

import pytest

from porter.errors import GenerateFailed
from porter.generate.genhdr import CHARACTERS, character_qstrs, characters_header
from porter.run import Device, Launch, run

ALL = "".join(
    f'QDEF1(MP_QSTR_n{ord(c)}, {ord(c)}, 1, "{c if c not in chr(34) + chr(92) else hex(ord(c))}")\n'
    for c in CHARACTERS
).replace('"0x', '"\\x')


def test_each_is_a_line() -> None:
    lines = character_qstrs().splitlines()
    assert len(lines) == 95 and {"Q(a)", "Q( )", "Q(()", "Q())", 'Q(")', "Q(\\)"} <= set(lines)


def test_the_table() -> None:
    other = 'QDEF0(MP_QSTR_, 5381, 0, "")\nQDEF1(MP_QSTR_ab, 7, 2, "ab")\n'
    newline = 'QDEF0(MP_QSTR_end, 9, 1, "\\x0a")\n'
    header = characters_header(other + ALL + newline)
    names = [name.strip() for name in header[header.index("{") + 1 :].split(",")[:128]]
    assert names[ord("a")] == "MP_QSTR_n97" and names[ord('"')] == "MP_QSTR_n34"
    assert names[ord("\n")] == "MP_QSTR_end" and names[ord("\t")] == names[127] == "MP_QSTRnull"
    assert names.count("MP_QSTRnull") == 128 - 96


def test_a_character_that_is_none() -> None:
    with pytest.raises(GenerateFailed, match=r"none for 'a'"):
        characters_header(ALL.replace("_n97, 97, 1", "_n97, 97, 2"))


PROGRAM = """
class C: pass
c, table, count = C(), {}, 0
for number in list(range(256)) + [0x3bb, 0x1f40d]:
    text = chr(number)
    made = "".join([text])
    cut = ("x" + text + "y")[1]
    assert made == cut == text and len(text) == 1 and ord(cut) == number
    assert (text + "z")[0] == text and text != chr(number ^ 1)
    table[text] = number
    assert table[cut] == number
    setattr(c, text, number)
    assert getattr(c, made) == number
    assert [each for each in text * 2] == [text, text]
    if number < 128:
        assert bytes([number]).decode() == text and text.encode() == bytes([number])
    assert hash(text) == hash(made) == hash(cut)
    count += 1
print(count, len(table), len("".join(table)))
"""


def test_every_character_is_itself(roomy_device: Device) -> None:
    result = run(roomy_device, [PROGRAM], 2, Launch(heap=1 << 19))
    assert result.stdout[1] == b"258 258 258\n", result.stderr[1]
