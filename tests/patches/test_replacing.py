"""Upstream's functions are replaced only if their body is a known one."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import attrs
import pytest

from porter import pipeline
from porter.base import paths
from porter.config import BuildConfig
from porter.errors import PatchDrift, PorterError
from porter.generate import Layout, generate
from porter.generate.units import UnitList
from porter.manifest import KeptFunction, Patches
from porter.patches import FunctionReplacement, load_series, refuse_kept
from porter.preprocess import kept_functions, preprocess
from porter.preprocess.function_replacement import definitions_of, digest_of, replace_functions
from porter.sync.lock import newest_release
from porter.syntax.node import line_table, locate
from porter_dev import bodies

UNIT = """\
# 1 "py/a.c"
typedef struct { int x; } a_t;
int sum(int a, int b);
static int twice(int a) { return sum(a, a); }
# 10 "py/a.c"
int sum(int a,
    int b) {
    const char *brace = "}"; char quote = '}';
    if (a) { return a + b; }
    return brace[0] + quote;
}
int last(void) { return 1; }
"""
SUM = FunctionReplacement("py/a.c", "sum", "return ours(a, b);", (), "adding", "sums are slow")


def known(text: str = UNIT) -> FunctionReplacement:
    """Return the replacement of `sum` for the body that it has in `text`."""
    return attrs.evolve(SUM, bodies=(digest_of(text, *definitions_of("sum", text)),))


def test_a_known_body_is_replaced() -> None:
    text, (body,) = replace_functions(UNIT, "py/a.c", [known()])
    assert body.known and body.digest in known().bodies
    assert "int sum(int a,\n    int b) { return ours(a, b); }\n" in text
    assert "brace" not in text and "static int twice(int a) { return sum(a, a); }" in text
    program = text + "\nint ours(int a, int b) { return 7; }\n"
    program = program.replace("typedef", "int ours(int a, int b);\ntypedef")
    subprocess.run(["gcc", "-x", "c", "-fsyntax-only", "-"], input=program, text=True, check=True)


def test_what_follows_keeps_its_line() -> None:
    text, _ = replace_functions(UNIT, "py/a.c", [known()])
    for unit in (UNIT, text):
        assert locate(line_table(unit), unit.index("int last"))[:2] == ("py/a.c", 16)
    short = UNIT.replace("}\nint last", "} int last")
    text, _ = replace_functions(short, "py/a.c", [known()])
    assert locate(line_table(text), text.index("int last"))[:2] == ("py/a.c", 15)


@pytest.mark.parametrize(
    "change",
    [
        ("a + b", "a - b"),
        ("if (a)", "if (b)"),
        ('"}"', '"{"'),
        ("int sum(int a,\n    int b) {", "int sum(int b,\n    int a) {"),
        ("int sum(int a,\n", "static int sum(int a,\n"),
        ("return brace", "return 0; return brace"),
    ],
)
def test_an_unknown_body_is_left_untouched(change: tuple[str, str]) -> None:
    old, new = change
    changed = UNIT.replace(old, new)
    assert changed != UNIT
    text, (body,) = replace_functions(changed, "py/a.c", [known()])
    assert text == changed and not body.known and body.digest not in ("", *known().bodies)


@pytest.mark.parametrize(
    "written",
    [
        UNIT.replace("a + b", "a\n+   b"),
        UNIT.replace("    if (a)", '# 40 "py/b.h" 2\n    if (a)'),
        UNIT.replace("int sum(int a,\n    int b) {", "int\nsum (int a, int b)\n{"),
        UNIT.replace("}\n# 10", "}\n\n\n# 10"),
    ],
)
def test_blanks_and_line_markers_make_no_other_body(written: str) -> None:
    assert replace_functions(written, "py/a.c", [known()])[1][0].known


@pytest.mark.parametrize(
    "text",
    ["int other(void) { return sum(1, 2); }\n", UNIT + UNIT[UNIT.index("int sum(int a,\n") :]],
)
def test_none_and_two_definitions_are_left(text: str) -> None:
    done, (body,) = replace_functions(text, "py/a.c", [known()])
    assert done == text and (body.known, body.digest) == (False, "")


def test_other_files_are_not_asked() -> None:
    assert replace_functions(UNIT, "py/b.c", [known()]) == (UNIT, ())


def test_strict_refuses_a_function_that_is_kept() -> None:
    kept = KeptFunction("sum", "py/a.c", "adding", "sums are slow", "whose body is new (0123)")
    assert Patches(kept=(kept,)).lacks == [
        "kept upstream's sum (py/a.c), whose body is new (0123): sums are slow"
    ]
    with pytest.raises(PatchDrift, match=r"1 functions .*\nkept upstream's sum"):
        refuse_kept([kept])
    refuse_kept([])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('function = "f"\ntext = " "\nbodies = []', "takes the name of a function"),
        ('function = "f()"\ntext = "x"\nbodies = []', "takes the name of a function"),
        ('function = "f"\ntext = "x"\nbodies = ["12"]', "'12' is no digest"),
        ('function = "f"\ntext = "x"', "lacks 'bodies'"),
    ],
)
def test_broken_rows(tmp_path: Path, row: str, message: str) -> None:
    (tmp_path / "series.toml").write_text(
        '[[patch]]\nname = "a"\nclass = "required"\npurpose = "A."\nfile = "a.toml"\ntest = "t"\n'
    )
    (tmp_path / "a.toml").write_text(f'[[replace]]\nfile = "py/a.c"\n{row}\n')
    with pytest.raises(PorterError, match=message):
        load_series(tmp_path)


def test_recording_writes_the_row_of_one_function(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    row = '[[replace]]\nfile = "py/a.c"\nfunction = "{}"\ntext = "x();"\nbodies = []\n\n'
    file.write_text(row.format("f") + row.format("g") + "# end\n")
    bodies.record(file, "g", {"b" * 16, "a" * 16})
    lines = file.read_text().splitlines()
    assert lines.count("bodies = []") == 1
    assert lines[-3] == f'bodies = ["{"a" * 16}", "{"b" * 16}"]' and lines[-1] == "# end"
    bodies.record(file, "f", {f"{number:016x}" for number in range(9)})
    assert max(map(len, file.read_text().splitlines())) <= bodies.WIDTH
    with pytest.raises(ValueError, match="h has 0"):
        bodies.record(file, "h", set())


@pytest.mark.parametrize(
    ("whole", "broken"),
    [
        (False, {}),
        (True, {"adding": "it needs sum (py/a.c), whose body is new (0123)"}),
    ],
)
def test_a_function_that_the_rest_of_a_patch_needs(whole: bool, broken: dict[str, str]) -> None:
    kept = KeptFunction("sum", "py/a.c", "adding", "sums are slow", "whose body is new (0123)")
    units = UnitList("", (), (), replacements=(attrs.evolve(SUM, whole=whole),))
    assert pipeline._broken_patches(Patches(kept=(kept,)), units) == broken
    assert pipeline._broken_patches(Patches(), units) == {}


REPLACEMENTS = [one for patch in load_series() for one in patch.replacements]


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the units of the newest release that have functions to replace, as upstream's."""
    release = newest_release()
    if not (paths.upstream_dir() / release / "py").is_dir():
        pytest.skip(f"{release} is not synced")
    layout = Layout.of(release, tmp_path_factory.mktemp("replaced"))
    units = generate(BuildConfig(release=release), layout)
    files = {one.file for one in units.replacements}
    units = attrs.evolve(
        units,
        units=tuple(unit for unit in units.units if unit.path in files),
        replacements=tuple(attrs.evolve(one, bodies=()) for one in units.replacements),
    )
    made = preprocess(layout, units)
    kept = kept_functions(layout, units, made)
    assert {one.function for one in kept} == {one.function for one in REPLACEMENTS}
    assert all("whose body is new" in one.reason for one in kept)
    return {unit.unit.path: unit.path.read_text(errors="surrogateescape") for unit in made}


@pytest.mark.parametrize("one", REPLACEMENTS, ids=lambda one: one.function)
def test_each_shipped_replacement_knows_the_newest_release(
    one: FunctionReplacement, texts: dict[str, str]
) -> None:
    text, (body,) = replace_functions(texts[one.file], one.file, [one])
    assert body.known, body
    assert one.text.strip() in text


@pytest.mark.parametrize("one", REPLACEMENTS, ids=lambda one: one.function)
def test_each_shipped_replacement_leaves_an_unknown_body(
    one: FunctionReplacement, texts: dict[str, str]
) -> None:
    """A statement more at the body's start: upstream has changed the function."""
    text = texts[one.file]
    (definition,) = definitions_of(one.function, text)
    changed = text[: definition.opening + 1] + " ; " + text[definition.opening + 1 :]
    done, (body,) = replace_functions(changed, one.file, [one])
    assert done == changed and not body.known
    assert re.fullmatch("[0-9a-f]{16}", body.digest)
