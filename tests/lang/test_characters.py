"""The lexer classifies each character like the interpreter's own functions."""

from __future__ import annotations

from porter.run import Device, Launch, run

EACH = """
for number in range(1, 128):
    c = chr(number)
    found = []
    for text in ("7" + c + "+ 1", "1" + c + "2"):
        try:
            found.append(eval(text))
        except (SyntaxError, NameError, ValueError, TypeError):
            found.append(None)
    names = {}
    try:
        exec("a" + c + "b = 5", names)
    except (SyntaxError, NameError, TypeError):
        pass
    space = c.isspace() and c not in "\\r\\n\\x1c\\x1d\\x1e\\x1f"
    # These go on with the number, or are operators.
    assert (found[0] == 8) == (space or c in "+."), (number, found)
    assert (found[1] == 102 + 10 * (number - 48)) == c.isdigit(), (number, found)
    assert ("a" + c + "b" in names) == (c.isalpha() or c.isdigit() or c == "_"), number
for name in ("é", "aé", "éa", "ñ1", "x" * 40, "x" * 255, "_" * 17):
    exec(name + " = 9")
    assert eval(name) == 9 and eval(name + " + 1") == 10
print("every character")
"""


def test_every_character(roomy_device: Device) -> None:
    result = run(roomy_device, [EACH], 2, Launch(heap=1 << 19))
    assert result.stdout[1] == b"every character\n", result.stderr[1]
