"""Real libraries behave the same in C++; the package manager fetches each recipe's sources."""

from __future__ import annotations

import pytest

from porter.cli import execute
from porter.errors import UsageError
from porter_dev.torture.libraries import examine_library, recipes, without_promises

pytestmark = pytest.mark.campaign("torture-libraries")


@pytest.mark.network
@pytest.mark.xdist_group("libraries")  # two programs of one library share its sources
@pytest.mark.parametrize("name", recipes())
def test_a_library_does_the_same_in_cxx(name: str) -> None:
    units, runs = examine_library(name, jobs=2)
    assert units > 1
    assert runs > 0


def test_a_library_without_a_recipe() -> None:
    assert execute(["torture", "--library", "nothing"]) == UsageError.exit_code


def test_only_system_headers_lose_their_promises() -> None:
    text = (
        '# 1 "/usr/include/a.h" 1 3 4\n'
        "int f(int) __attribute__ ((__const__));\n"
        "int g(int) __attribute__ ((__aligned__ (8)));\n"
        '# 2 "own.c" 2\n'
        "int h(int) __attribute__ ((const));\n"
    )
    cleaned = text.replace("__attribute__ ((__const__))", "")
    assert without_promises(text) == cleaned
