"""The program in an answer: the last complete block of Python, or what comes nearest to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porter.errors import WrongType
from porter.rewards import program_of

CODE = "def solve(x):\n    return x\n"


@pytest.mark.parametrize(
    "answer",
    [
        CODE,
        f"Here it is:\n```python\n{CODE}```\nThat works.",
        f"```py\nx = 1\n```\nBetter:\n```Python\n{CODE}```",
        f"```python\n{CODE}```\nIt prints:\n```\n1\n```\n```bash\nls\n```",
        f"~~~\n{CODE}~~~",
        f"1. First\n   ```python\n   {CODE.replace(chr(10), chr(10) + '   ').rstrip(' ')}   ```",
        f"````python\n{CODE}````",
        f"<think>\n```python\nwrong\n```\n</think>\n```python\n{CODE}```",
        f"It is cut off:\n```python\n{CODE}",
        f"```{{.python}}\n{CODE}```",
        f"\ufeff```python\n{CODE}```",
        f"```python\r\n{CODE}```\r\n",
        [{"role": "assistant", "content": f"```\n{CODE}```"}, {"role": "tool", "content": "1"}],
        [{"role": "user", "content": "?"}, {"role": "assistant", "content": f"```\n{CODE}```"}],
        [{"role": "assistant", "content": [{"type": "text", "text": f"```python\n{CODE}```"}]}],
    ],
)
def test_the_program_is_found(answer: object) -> None:
    assert program_of(answer).strip() == CODE.strip()


def test_fences_in_a_program_do_not_end_it() -> None:
    inner = 'text = """\n    ```python\n    x\n    ```x\n"""\n'
    assert program_of(f"````python\n{inner}````") == inner


def test_an_indented_fence_belongs_to_a_docstring() -> None:
    inner = 'def f():\n    """\n    ```\n    f()\n    ```\n    """\n    return 1\n'
    assert program_of(f"```python\n{inner}```") == inner


def test_what_is_no_answer() -> None:
    assert program_of([]) == program_of([{"role": "assistant", "content": None}]) == ""
    for answer in (None, 5, b"x", {"content": 5}):
        with pytest.raises(WrongType, match="neither a text nor a list"):
            program_of(answer)


@given(st.text(alphabet="`~ \npython#>x1</think>", max_size=60))
def test_any_text_has_a_program(answer: str) -> None:
    assert isinstance(program_of(answer), str)
