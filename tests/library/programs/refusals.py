"""Messages of collections, heapq and random, long words of textwrap, and doctests of exceptions."""
import heapq
import random
import textwrap
from collections import namedtuple


def show(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


for fields in ("a class", "a a", "_a b", "1a", ["a", "b c"], "def if", ""):
    show(lambda: namedtuple("P", fields)._fields)
    show(lambda: namedtuple("P", fields, rename=True)._fields)
for name in ("class", "1P", "None"):
    show(lambda: namedtuple(name, "a b")._fields)
show(lambda: heapq.heappop([]))
show(lambda: random.choice([]))
text = "This is a verylongwordthatexceeds the well-known-and-long-word http://a-b.c/d-e"
for width in range(11, 40):
    print(textwrap.wrap(text, width), textwrap.wrap(text, width, break_on_hyphens=False))
    print(textwrap.fill(text, width, initial_indent="* ", subsequent_indent="  ", max_lines=4))


def f(n):
    """
    >>> f(-1)
    Traceback (most recent call last):
        ...
    ValueError: neg
    >>> f(-1)
    Traceback (most recent call last):
    ValueError: neg
    >>> f(-1)
    Traceback (most recent call last):
      File "x", line 1, in f
    ValueError: neg
    >>> f(-1)  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    ValueError: other
    >>> f(-1)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: n...
    >>> f(1)
    1
    """
    if n < 0:
        raise ValueError("neg")
    return n


import doctest  # noqa: E402

print(doctest.testmod())
