"""The requirements of a release on its port are found in its sources; refusals name the port's
option.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from porter.base import paths
from porter.config import BuildConfig
from porter.errors import OptionRefused, PreprocessFailed
from porter.generate.build_paths import Layout
from porter.generate.port import template_values
from porter.generate.port_options import (
    Option,
    Wants,
    conditions,
    defined_options,
    find_wants,
    without,
)
from porter.syntax.parser import functions_defined

UPSTREAM = """
#if MICROPY_PY_OS
#if OURS_A && \\
    !OTHER
#elif OURS_B
int none;
#ifdef OURS_B
%s
#endif
#endif
#endif
"""


def test_conditions_of_a_line() -> None:
    text = UPSTREAM % '#error "no"'
    line = text.splitlines().index('#error "no"') + 1
    found = [" ".join(condition.replace("\0", "").split()) for condition in conditions(text, line)]
    assert found == ["MICROPY_PY_OS", "OURS_A && !OTHER", "OURS_B", "OURS_B"]
    assert conditions(text, len(text.splitlines())) == [] or line < len(text.splitlines())
    assert conditions("#if A\n#endif\nx\n", 3) == []


def test_options_of_a_configuration() -> None:
    config = "// x\n#define A (1)\n  #define B \\\n    (2)\n#define A (3)\nint c;\n"
    assert defined_options(config) == [Option("A", 2), Option("B", 3)]
    assert defined_options(without(config, "A")) == [Option("B", 3)]
    assert without(config, "B").count("(2)") == 0


def test_functions_in_what_does_not_compile() -> None:
    text = (
        "int a(void);\nstatic what b(int x) { return nothing(x) + y; }\nint c(void) { return 1; }\n"
    )
    assert {"c"} <= functions_defined(text) and "a" not in functions_defined(text)


@pytest.fixture
def ask(tmp_path: Path) -> Callable[[str, str, str], Wants]:
    """Query one upstream file with a port of one configuration and one included file."""

    def run(upstream: str, config: str, hook: str = "") -> Wants:
        release, port = tmp_path / "upstream" / "1.0", tmp_path / "port"
        (release / "py").mkdir(parents=True)
        port.mkdir()
        source = release / "py" / "a.c"
        source.write_text(f'#include "mpconfigport.h"\n#include "hook.h"\n{upstream}')
        (port / "mpconfigport.h.j2").write_text(config)
        (port / "hook.h.j2").write_text(hook)
        layout = Layout(tmp_path / "build", release)
        return find_wants({}, layout, port, (), [source])

    return run


CLASH = '#if A && B\n#error "A and B exclude each other"\n#endif\n'


def test_an_option_that_may_be_dropped(ask: Callable[..., Wants]) -> None:
    config = '#define A (1)\n{% if wanted("B") %}\n#define B (1)\n{% endif %}\n'
    assert ask(CLASH, config).refused == ("B",)


def test_an_option_that_nothing_is_said_of(ask: Callable[..., Wants]) -> None:
    with pytest.raises(OptionRefused) as caught:
        ask(CLASH, "#define A (1)\n#define C (1)\n#define B (1)\n")
    assert caught.value.options == ("A", "B")
    message = caught.value.message
    assert "upstream/1.0/py/a.c:4: " in message and "A and B exclude each other" in message
    assert "A, port/mpconfigport.h:1" in message and "B, port/mpconfigport.h:3" in message
    assert caught.value.exit_code == OptionRefused.exit_code == 26


def test_an_error_that_no_option_causes(ask: Callable[..., Wants]) -> None:
    with pytest.raises(OptionRefused, match="It depends on no option of the port"):
        ask('#error "never"\n', "#define A (1)\n")


def test_an_option_that_upstream_has_without_us(ask: Callable[..., Wants]) -> None:
    with pytest.raises(OptionRefused, match="refuses without each of them too:\n  A, port/") as one:
        ask('#ifndef A\n#define A (1)\n#endif\n#if A\n#error "no A"\n#endif\n', "#define A (1)\n")
    assert one.value.options == ()


def test_a_missing_header_is_no_option(ask: Callable[..., Wants]) -> None:
    with pytest.raises(PreprocessFailed, match=r"py/a\.c:3: nothing\.h"):
        ask('#include "nothing.h"\n', "#define A (1)\n")


HOOK = '{% if not defined("hook") %}\nstatic int hook(void) { return 1; }\n{% endif %}\n'


@pytest.mark.parametrize(
    ("upstream", "expected"),
    [
        ("static int hook(void) { return missing(2); }\n", ("hook",)),
        ("#if A\nstatic int hook(void) { return 2; }\n#endif\n", ("hook",)),
        ("#if !A\nstatic int hook(void) { return 2; }\n#endif\n", ()),
        ("int hook(void);\nint b(void) { return hook(); }\n", ()),
        ("// hook\n", ()),
    ],
)
def test_hooks(ask: Callable[..., Wants], upstream: str, expected: tuple[str, ...]) -> None:
    assert ask(upstream, "#define A (1)\n", HOOK).defined == expected


def test_a_release_that_refuses_an_option_of_ours(release: str, tmp_path: Path) -> None:
    """An #error over two options of the port, planted in a release, names the file and both."""
    upstream = paths.upstream_dir() / release
    for name in ("py", "extmod", "shared", "lib"):
        shutil.copytree(upstream / name, tmp_path / "upstream" / release / name)
    planted = tmp_path / "upstream" / release / "py" / "objfun.c"
    text = planted.read_text()
    line = len(text.splitlines()) + 2
    planted.write_text(
        text + "#if MICROPY_MEM_STATS && MICROPY_ENABLE_PYSTACK\n"
        '#error "no statistics with a pystack"\n#endif\n'
    )
    layout = Layout(tmp_path / "build", tmp_path / "upstream" / release)
    with pytest.raises(OptionRefused) as caught:
        values = template_values(BuildConfig(release=release))
        find_wants(values, layout, paths.templates_dir() / "port", (), [planted])
    assert caught.value.options == ("MICROPY_ENABLE_PYSTACK", "MICROPY_MEM_STATS")
    assert f"upstream/{release}/py/objfun.c:{line}: " in caught.value.message
