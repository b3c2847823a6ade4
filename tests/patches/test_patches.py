"""Patches locate their place by upstream's text, and report why they cannot."""

from __future__ import annotations

import json
from pathlib import Path

import attrs
import pytest

from porter import cli
from porter.base import paths
from porter.errors import PatchDrift, PorterError, UsageError
from porter.manifest import Patches
from porter.patches import (
    Patched,
    check_series,
    load_series,
    patched_files,
    refuse_skipped,
    touching,
)
from porter.patches.anchors import apply_hunk
from porter.patches.application import chosen
from porter.patches.patch import Hunk
from porter.sync.store import release_dir, synced_releases
from porter.sync.synchronization import sync

C = """\
static int first(int a);

static int first(int a) {
    if (a) {
        return 1;
    }
    return 0;
}

int second(int a,
    int b) {
    if (a) {
        return 1;
    }
    return first(b);
}
"""


def hunk(anchor: str, text: str = "NEW;\n", action: str = "replace", inside: str = "") -> Hunk:
    return Hunk("py/vm.c", tuple(anchor.splitlines()), action, text, inside)


def test_actions() -> None:
    anchor = "    return first(b);"
    assert apply_hunk(hunk(anchor), C) == C.replace(anchor, "NEW;")
    assert apply_hunk(hunk(anchor, action="before"), C) == C.replace(anchor, f"NEW;\n{anchor}")
    after = apply_hunk(hunk(anchor, "NEW;", action="after"), C)
    assert after == C.replace(anchor, f"{anchor}\nNEW;")


def test_function_tells_alike_lines_apart() -> None:
    anchor = "        return 1;"
    with pytest.raises(PatchDrift, match=r"there 2 times \(lines 5, 13\)"):
        apply_hunk(hunk(anchor), C)
    first = apply_hunk(hunk(anchor, inside="first"), C)
    second = apply_hunk(hunk(anchor, inside="second"), C)
    assert first.splitlines()[4] == "NEW;" and first.count("return 1;") == 1
    assert second.splitlines()[12] == "NEW;" and second.count("return 1;") == 1


@pytest.mark.parametrize(
    "written",
    [
        "\treturn  first(b);",
        "    return\n        first( b );",
        "    return first(b); // the other",
        "    /* as first */ return first(/* it */ b);",
    ],
)
def test_blanks_line_breaks_and_comments_do_not_matter(written: str) -> None:
    text = "\n" * 50 + C.replace("    return first(b);", written)
    made = apply_hunk(hunk("    return first(b);"), text)
    assert "NEW;\n}" in made and "return" not in made.rpartition("NEW;")[2]
    before = apply_hunk(hunk("return first(b);", action="before"), text)
    assert before.replace("NEW;\n", "") == text


def test_a_place_inside_a_line_gets_lines_of_its_own() -> None:
    text = "int f(int a) {\n    if (a) { g(); return a; }\n}\n"
    made = apply_hunk(hunk("return a;", action="before", inside="f"), text)
    assert made == "int f(int a) {\n    if (a) { g(); \nNEW;\nreturn a; }\n}\n"
    made = apply_hunk(hunk("g();", action="after", inside="f"), text)
    assert made == "int f(int a) {\n    if (a) { g();\nNEW;\n return a; }\n}\n"


@pytest.mark.parametrize("text", ["#define F(a) g(a); h(a)\n", "#define G(a) \\\n    g(a); h(a)\n"])
def test_a_preprocessor_line_is_not_split(text: str) -> None:
    with pytest.raises(PatchDrift, match="in the middle of a preprocessor line"):
        apply_hunk(hunk("h(a)", action="before"), text)


def test_a_comment_is_no_code() -> None:
    text = C.replace("return 0;", "return 0; // return first(b);\n    /* return first(b); */")
    made = apply_hunk(hunk("    return first(b);"), text)
    assert made.count("NEW;") == 1 and made.count("return first(b);") == 2


@pytest.mark.parametrize("anchor", ["eturn first(b)", "return firs", "return first(b) ;;"])
def test_tokens_are_whole(anchor: str) -> None:
    with pytest.raises(PatchDrift, match="expected"):
        apply_hunk(hunk(anchor), C)


def test_drift_shows_expected_and_nearest() -> None:
    with pytest.raises(PatchDrift) as caught:
        apply_hunk(hunk("    return first(c);", inside="second"), C, "feature", 2)
    message = str(caught.value)
    assert message.startswith("patch feature, hunk 2: py/vm.c, in second: expected\n")
    assert "return first(c);" in message
    assert "nearest, line 15" in message and "return first(b);" in message
    assert (caught.value.patch, caught.value.file) == ("feature", "py/vm.c")


@pytest.mark.parametrize(
    "text",
    [
        C,
        C.replace("    int b) {", "    int c)\n{"),
        C.replace("int second(int a,\n", "int\nWRAP(second)(int a,\n"),
    ],
)
def test_enter_needs_the_name_alone(text: str) -> None:
    enter = attrs.evolve(hunk("", inside="second"), action="enter", anchor=())
    head, _, rest = apply_hunk(enter, text).partition("NEW;\n")
    assert head.rstrip().endswith("{") and "second" in head.split("}")[-1]
    assert head + rest == text
    with pytest.raises(PatchDrift, match="there is no function third"):
        apply_hunk(attrs.evolve(enter, inside="third"), text)


def test_enter_reaches_every_definition() -> None:
    enter = Hunk("py/vm.c", (), "enter", "NEW;\n", "f")
    text = "#if A\nint f(void) {\n}\n#else\nint f(int a) {\n}\n#endif\nint g(void) { f(); }\n"
    assert apply_hunk(enter, text) == text.replace("{\n", "{\nNEW;\n")


@pytest.mark.parametrize(
    ("head", "text"),
    [
        ("int second(int a,\n", C),
        ("static int first(int a) {\n", C),
        (
            "int\nWRAP(second)(int a,\n",
            C.replace("int second(int a,\n", "int\nWRAP(second)(int a,\n"),
        ),
        ("NOINLINE\nint second(int a,\n", C.replace("int second(", "NOINLINE\nint second(")),
        ("int second(int a,\n", C.replace("}\n\nint second", "}\n#define X \\\n    1\nint second")),
        ("int second(int a,\n", C.replace("int second", "// about it\nint second")),
    ],
)
def test_above_needs_the_name_alone(head: str, text: str) -> None:
    name = "second" if "second" in head else "first"
    above = Hunk("py/vm.c", (), "above", "NEW;\n", name)
    assert apply_hunk(above, text) == text.replace(head, f"NEW;\n{head}")


def test_call_renames_every_call_in_the_function() -> None:
    text = (
        "int g(int a);\nint f(int a) {\n    int g = g(a) + x.g(a) + p->g(a) + g (g(a)); // g(a)\n"
        "    return h(g);\n}\nint h(int a) {\n    return g(a);\n}\n"
    )
    call = Hunk("py/vm.c", ("g",), "call", "ours\n", "f")
    made = apply_hunk(call, text)
    assert made.count("ours") == 3
    assert "int g = ours(a) + x.g(a) + p->g(a) + ours (ours(a)); // g(a)" in made
    assert "return h(g);" in made and "return g(a);" in made
    with pytest.raises(PatchDrift, match="there is no call of k"):
        apply_hunk(attrs.evolve(call, anchor=("k",)), text)
    with pytest.raises(PatchDrift, match="there is no function third"):
        apply_hunk(attrs.evolve(call, inside="third"), text)


@pytest.mark.parametrize(
    ("text", "behind"),
    [
        ('#include "a.h"\n#include "b.h"\nint x;\n#include "c.h"\n', "b.h"),
        ('// one\n#include "a.h"\n#if A\n#include "b.h"\n#endif\nint x;\n', "a.h"),
        ('#if A\n#include "a.h"\nint x;\n#endif\n', "a.h"),
        ('#define A(x) \\\n  x\n#include "a.h"\nint x;\n', "a.h"),
    ],
)
def test_include_has_no_anchor(text: str, behind: str) -> None:
    include = Hunk("py/vm.c", (), "include", '#include "new.h"\n', "")
    line = f'#include "{behind}"\n'
    assert apply_hunk(include, text) == text.replace(line, f'{line}#include "new.h"\n')


STATEMENTS = """\
#define LIMIT 3
#define FIRST(x) \\
    x
int f(int a) {
    #if A
    a = one(a);
    #endif
    PLAIN_MACRO
    for (int i = 0; i < LIMIT; i++) {
        int b[2] = { two(a), { 1 } }; // two
        switch (b[0]) {
            case HERE:
            case ENTRY:
                print("three; {", three);
                break;
            ENTRY(THERE): { four(b->four, x.four); }
            default: goto again;
        }
        if (a) {
            five(a ? 1 : 2);
        } else if (six(a)) {
            a = 0;
        }
        while (seven()) eight();
    }
    again: nine(nine());
    return (pair_t) { ten(), 1 };
}
int g(int a) { one(a); two(a); }
"""


@pytest.mark.parametrize(
    ("at", "before", "after"),
    [
        ("one", "    a = one(a);", "    a = one(a);"),
        ("LIMIT", "    for (int i", "    for (int i = 0; i < LIMIT; i++) {"),
        ("two", "        int b[2] = {", "        int b[2] = { two(a), { 1 } }; // two"),
        ("three", '                print("three', '                print("three; {", three);'),
        ("HERE:", "            case HERE:", "            case HERE:"),
        ("THERE:", "            ENTRY(THERE):", "            ENTRY(THERE):"),
        ("four", "four(b->four", "four(b->four, x.four);"),
        ("again:", "    again:", "    again:"),
        ("five", "            five(", "            five(a ? 1 : 2);"),
        ("six", "", "        } else if (six(a)) {"),
        ("ten", "    return (pair_t)", "    return (pair_t) { ten(), 1 };"),
    ],
)
def test_a_name_stands_for_its_statement(at: str, before: str, after: str) -> None:
    """Text goes beside the whole statement, whatever else the statement consists of."""
    one = Hunk("py/vm.c", (), "after", "NEW;\n", "f", at)
    head, _, rest = apply_hunk(one, STATEMENTS).partition("NEW;\n")
    assert head.rstrip("\n").endswith(after)
    assert (head + rest).replace("\n", "") == STATEMENTS.replace("\n", "")
    one = attrs.evolve(one, action="before")
    if before:
        head, _, rest = apply_hunk(one, STATEMENTS).partition("NEW;\n")
        assert rest.startswith(before)
        assert (head + rest).replace("\n", "") == STATEMENTS.replace("\n", "")
    else:
        with pytest.raises(PatchDrift, match="no text can be before the statement with six"):
            apply_hunk(one, STATEMENTS)


@pytest.mark.parametrize(
    ("at", "message"),
    [
        ("eleven", "the name eleven is not there"),
        ("HERE", "the name HERE is not there"),
        ("LIMIT:", "the name LIMIT: is not there"),
        ("A", "the name A is not there"),
        ("a", r"the name a is there \d+ times \(lines 6, 10, "),
        ("seven", "no text can be after the statement with seven"),
        ("eight", "no text can be after the statement with eight"),
        ("nine", "no text can be after the statement with nine"),
    ],
)
def test_a_name_without_a_place(at: str, message: str) -> None:
    with pytest.raises(PatchDrift, match=rf"patch p, hunk 3: py/vm\.c, in f: {message}"):
        apply_hunk(Hunk("py/vm.c", (), "after", "NEW;\n", "f", at), STATEMENTS, "p", 3)


def test_the_definition_of_a_macro_is_a_place() -> None:
    for at, line in (("#define LIMIT", "#define LIMIT 3\n"), ("#define FIRST", "    x\n")):
        one = Hunk("py/vm.c", (), "after", "NEW;\n", at=at)
        assert apply_hunk(one, STATEMENTS) == STATEMENTS.replace(line, f"{line}NEW;\n")
    with pytest.raises(PatchDrift, match=r"py/vm\.c: the name #define SECOND is not there"):
        apply_hunk(Hunk("py/vm.c", (), "after", "NEW;\n", at="#define SECOND"), STATEMENTS)


def test_two_heads_of_one_body_are_one_place() -> None:
    """Upstream writes a head in each branch of a conditional where its parameters differ."""
    text = "#if A\nint f(int a) {\n#else\nint f(long a) {\n#endif\n    g(a);\n    return a;\n}\n"
    made = apply_hunk(hunk("return a;", action="before", inside="f"), text)
    assert made == text.replace("    return", "NEW;\n    return")


@pytest.mark.parametrize("head", ["int f(void) { return 1; }", 'int f(void) { g("}"); {} }'])
def test_a_function_on_one_line_ends_there(head: str) -> None:
    """The next function has the anchor, and does not get the text."""
    text = f"{head}\nint second(void) {{\n    return 2;\n}}\n"
    with pytest.raises(PatchDrift, match=r"py/vm\.c, in f: expected"):
        apply_hunk(hunk("return 2;", inside="f"), text)
    assert "NEW;" in apply_hunk(hunk("return 2;", inside="second"), text)


def test_include_where_there_is_none() -> None:
    with pytest.raises(PatchDrift, match="no #include"):
        apply_hunk(Hunk("py/vm.c", (), "include", '#include "new.h"\n', ""), "int x;\n")


def test_function_that_is_gone() -> None:
    with pytest.raises(PatchDrift, match="there is no function third"):
        apply_hunk(hunk("x", inside="third"), C)


SERIES = """
[[patch]]
name = "feature"
class = "required"
purpose = "shows"
file = "feature.toml"
test = "tests/x.py"
needs = { file = "py/mpconfig.h", text = "#define  MICROPY_VERSION_MAJOR" }
"""

FEATURE = '''
[[hunk]]
file = "py/vm.c"
inside = "f"
anchor = """
    return 1;
"""
text = """
    return 2;
"""

[[hunk]]
file = "py/vm.c"
anchor = "    return 2;"
action = "after"
text = "    // twice"
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "patches"
    root.mkdir()
    (root / "series.toml").write_text(SERIES)
    (root / "feature.toml").write_text(FEATURE)
    monkeypatch.setattr(paths, "patches_dir", lambda: root)
    return root


def test_series_patches_a_copy(folder: Path, locked: Path) -> None:
    series = load_series()
    before = (locked / "py/vm.c").read_text()
    files = patched_files(locked, "1.26.1", series)
    assert list(files.texts) == ["py/vm.c"]
    assert files.patches == Patches(("feature",))
    assert "return 2;\n    // twice\n}" in files.texts["py/vm.c"]
    assert (locked / "py/vm.c").read_text() == before


VARIANTS = """
[[hunk]]
file = "py/vm.c"
inside = "f"
where = "old  form"
anchor = "return 7;"
text = "    return 8;"

[[hunk]]
file = "py/vm.c"
inside = "f"
unless = "old form"
anchor = "return 1;"
text = "    return 2;"
"""


def test_variants_by_what_upstream_shows(folder: Path, locked: Path) -> None:
    """A hunk is for trees whose file has a text, another for those whose file lacks it."""
    (folder / "feature.toml").write_text(VARIANTS)
    series = load_series()
    new, old = "int f(void) {\n    return {};\n}\n", "old\n  form // now\n"
    for head, value, made in (("", 1, 2), (old, 7, 8), ("", 7, 0), (old, 1, 0)):
        (locked / "py/vm.c").write_text(head + new.replace("{}", str(value)))
        (check,) = check_series(locked, "1.25.0", series)
        if made:
            text = patched_files(locked, "1.25.0", series).texts["py/vm.c"]
            assert check.state == "applies" and text == head + new.replace("{}", str(made))
        else:
            assert check.state == "fails" and f"return {8 - value};" in check.detail
    (locked / "py/vm.c").unlink()
    (check,) = check_series(locked, "1.25.0", series)
    assert check.state == "fails" and "there is no such file" in check.detail


def test_a_tree_without_what_a_patch_changes(folder: Path, locked: Path) -> None:
    (locked / "py/mpconfig.h").write_text("")
    assert check_series(locked, "1.26.1", load_series()) == []
    assert patched_files(locked, "1.26.1", load_series()) == Patched({})
    (locked / "py/mpconfig.h").write_text("#define MICROPY_VERSION_MAJOR   (1)\n")
    assert [c.state for c in check_series(locked, "1.26.1", load_series())] == ["applies"]


def test_check_command(folder: Path, locked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = sync("1.26.1", source=locked).path
    assert cli.execute(["patch", "check"]) == 0
    assert "applies" in capsys.readouterr().out
    (path / "py/vm.c").write_text("int f(void) {\n\treturn 1;\n}\n")
    assert cli.execute(["patch", "check", "1.26.1"]) == 0
    assert "applies" in capsys.readouterr().out
    (path / "py/vm.c").write_text("int f(void) {\n    return 3;\n}\n")
    assert cli.execute(["patch", "check", "1.26.1"]) == PatchDrift.exit_code
    captured = capsys.readouterr()
    assert "fails" in captured.out and "return 3;" in captured.err
    (path / "py/vm.c").unlink()
    assert cli.execute(["patch", "check", "1.26.1", "--json"]) == PatchDrift.exit_code
    assert "there is no such file" in capsys.readouterr().out


AT = "[[hunk]]\nfile='a'\ninside='g'\nat='f'\naction='after'\ntext='b'\n"


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("series.toml", "[[patch]]\nname = 'x'\n", "lacks"),
        ("series.toml", "patch = 1", "not a list"),
        ("feature.toml", "", "no \\[\\[hunk\\]\\]"),
        ("feature.toml", "[[hunk]]\nfile='a'\n", "lacks 'anchor'"),
        ("feature.toml", "[[hunk]]\nfile='a'\nanchor=' '\ntext=''\n", "empty anchor"),
        ("feature.toml", "[[hunk]]\nfile='a'\nanchor='b'\ntext=''\naction='x'", "not one of"),
        ("feature.toml", "[[hunk]]\nfile='a'\ntext='b'\naction='enter'", "takes `inside`"),
        ("feature.toml", "[[hunk]]\nfile='a'\ntext='b'\naction='above'", "takes `inside`"),
        (
            "feature.toml",
            "[[hunk]]\nfile='a'\nanchor='f(x)'\ntext='g'\ninside='h'\naction='call'",
            "two names",
        ),
        (
            "feature.toml",
            "[[hunk]]\nfile='a'\nanchor='f'\ntext='g'\naction='call'",
            "two names",
        ),
        ("feature.toml", "[[hunk]]\nfile='../a'\nanchor='b'\ntext=''", "no path below"),
        ("feature.toml", "[[hunk]]\nfile='/a'\nanchor='b'\ntext=''", "no path below"),
        ("feature.toml", "[[hunk]]\nfile=''\nanchor='b'\ntext=''", "no path below"),
        ("feature.toml", "[[hunk]]\nfile='a'\nanchor='b'\ntext=''\ninside='f g'", "no name of a"),
        (
            "series.toml",
            SERIES.replace('name = "feature"', 'name = "bugfix"'),
            "no name of a patch",
        ),
        ("series.toml", SERIES.replace('name = "feature"', 'name = "a,b"'), "no name of a patch"),
        ("feature.toml", "[[hunk]]\nfile='a'\nacton=''", "feature.toml: hunk 1: unknown key acton"),
        ("feature.toml", "[[hunk", "cannot be read"),
        (
            "series.toml",
            SERIES.replace(', text = "#define', ', tex = "#define'),
            "needs is a table",
        ),
        ("series.toml", SERIES.replace('"#define  MICROPY_VERSION_MAJOR"', '" "'), "is a table"),
        ("series.toml", SERIES.replace('"py/mpconfig.h"', '"../a.h"'), "needs: file .* no path"),
        ("series.toml", SERIES + SERIES, "feature: two patches have this name"),
        ("feature.toml", AT.replace("after", "replace"), "takes no anchor, and the action"),
        ("feature.toml", AT + "anchor='b'\n", "takes no anchor, and the action"),
        ("feature.toml", AT.replace("'f'", "'f(x)'"), "is no name, label"),
        ("feature.toml", AT.replace("'f'", "'#define f:'"), "is no name, label"),
        ("feature.toml", AT.replace("'f'", "'#define F'"), "takes `inside` if"),
        ("feature.toml", AT.replace("inside='g'\n", ""), "takes `inside` if"),
    ],
)
def test_broken_series(folder: Path, file: str, text: str, message: str) -> None:
    (folder / file).write_text(text)
    with pytest.raises(PorterError, match=message):
        load_series()


def test_no_series_is_no_patches(tmp_path: Path) -> None:
    assert load_series(tmp_path) == ()


def test_shipped_series_fits_what_is_synced() -> None:
    series = load_series()
    for release in synced_releases():
        failed = [
            c for c in check_series(release_dir(release), release, series) if c.state == "fails"
        ]
        assert failed == []


def test_every_patch_says_why_where_and_what_shows_it() -> None:
    series = load_series()
    assert series
    for patch in series:
        assert patch.purpose.endswith("."), patch.name
        assert not patch.without.endswith("."), patch.name
        assert (paths.patches_dir().parent / patch.test).is_file(), patch.name


OPTIONAL = """
[[patch]]
name = "first"
class = "performance"
purpose = "Is fast."
without = "it is slow"
file = "feature.toml"
test = "tests/x.py"

[[patch]]
name = "second"
class = "bugfix"
purpose = "Goes on with the first."
without = "it is wrong"
requires = ["first"]
file = "second.toml"
test = "tests/x.py"

[[patch]]
name = "third"
class = "tooling"
purpose = "Is seen."
without = "nobody sees it"
file = "third.toml"
test = "tests/x.py"
"""
ENTER = '[[hunk]]\nfile = "py/vm.c"\naction = "enter"\ninside = "f"\ntext = "    // {}"\n'
CHANGED = "int f(void) {\n    return 2;\n}\n"


@pytest.fixture
def optional(folder: Path) -> Path:
    """Return a folder of patches that a build can do without."""
    (folder / "series.toml").write_text(OPTIONAL)
    (folder / "second.toml").write_text(ENTER.format("second"))
    (folder / "third.toml").write_text(ENTER.format("third"))
    return folder


def test_what_does_not_apply_is_skipped_with_what_requires_it(optional: Path, locked: Path) -> None:
    assert patched_files(locked, "1", load_series()).patches.applied == ("first", "second", "third")
    (locked / "py/vm.c").write_text(CHANGED)
    done = patched_files(locked, "1", load_series())
    assert done.patches.applied == ("third",)
    assert done.texts == {"py/vm.c": "int f(void) {\n    // third\n    return 2;\n}\n"}
    first, second = done.patches.skipped
    assert "return 1;" in first.reason and second.reason == "it requires first, skipped"
    assert first.message == "skipped first: it is slow" and not first.asked
    with pytest.raises(PatchDrift, match=r"2 patches do not apply.*\n.*it is slow"):
        refuse_skipped(done.patches.skipped)
    states = [fit.state for fit in check_series(locked, "1", load_series())]
    assert states == ["skipped", "skipped", "applies"]


def test_a_patch_is_all_or_nothing(optional: Path, locked: Path) -> None:
    """The first hunk fits and the second does not: no edit of either is applied."""
    more = '\n[[hunk]]\nfile = "py/vm.c"\nanchor = "not there"\ntext = ""\n'
    (optional / "third.toml").write_text(ENTER.format("third") + more)
    done = patched_files(locked, "1", load_series())
    assert done.patches.applied == ("first", "second") and "third" not in done.texts["py/vm.c"]


NAMES = '''
[[hunk]]
file = "py/vm.c"
inside = "f"
anchor = "    return 1;"
action = "before"
text = """
    size_t width = grow(size, self->depth);
"""

[[hunk]]
file = "py/vm.c"
inside = "f"
anchor = "    return 1;"
text = """
    return width;
"""
'''
NAMED = "int grow(int, int);\nint f(self_t *self, int size) {\n    return 1;\n}\n"


@pytest.mark.parametrize(
    ("old", "new", "unknown"),
    [
        ("", "", ""),
        ("int grow(int, int);\n", "", "grow"),
        ("int grow(int, int);\n", '#include "py/grow.h"\n', ""),
        ("int size)", "int length)", "size"),
        ("int size)", "int length) /* size */", "size"),
        ("int size)", "int length /* was */) // size\n", "size"),
        ("size) {\n", "length) {\n    self->size = 3;\n", "size"),
        ("self_t *self, int size", "int size", "self"),
        ("int size) {\n", "int length) {\n#define size length\n", ""),
        ("int grow(int, int);", "int g(int size);\nint MICROPY_WRAP_GROW(grow)(int a);", ""),
    ],
)
def test_a_text_needs_its_names(
    optional: Path, locked: Path, old: str, new: str, unknown: str
) -> None:
    """The anchors fit, but upstream renamed a variable or function that only the text uses."""
    (optional / "third.toml").write_text(NAMES)
    (locked / "py/grow.h").write_text("enum { A, B };\nstatic inline int grow(int a, int b) {\n}\n")
    if "py/grow.h" not in new:
        (locked / "py/grow.h").unlink()
    (locked / "py/vm.c").write_text(NAMED.replace(old, new, 1))
    done = patched_files(locked, "1", load_series(), ["first", "second"])
    skipped = [one.reason for one in done.patches.skipped if not one.asked]
    reason = "patch third, hunk 1: py/vm.c, in f: its text uses {}, and nothing at its place "
    assert skipped == ([reason.format(unknown) + "declares it"] if unknown else [])
    assert bool(done.texts) == (not unknown)


def test_a_name_of_an_earlier_hunk_is_in_scope(optional: Path, locked: Path) -> None:
    """Upstream moved the declaration into a block, which ends before the use."""
    (optional / "third.toml").write_text(NAMES.replace("    return 1;", "    g();", 1))
    text = NAMED.replace("    return", "    g();\n    return")
    for written, applied in ((text, True), (text.replace("    g();", "    { g(); }"), False)):
        (locked / "py/vm.c").write_text(written)
        done = patched_files(locked, "1", load_series(), ["first", "second"])
        assert ("third" in done.patches.applied) == applied
        if not applied:
            assert "hunk 2: py/vm.c, in f: its text uses width" in done.patches.skipped[2].reason


@pytest.mark.parametrize(
    ("skip", "applied"),
    [
        (["performance"], ("third",)),
        (["bugfix", "tooling"], ("first",)),
        (["second"], ("first", "third")),
        (["first", "second", "third"], ()),
    ],
)
def test_patches_that_the_user_leaves_out(
    optional: Path, locked: Path, skip: list[str], applied: tuple[str, ...]
) -> None:
    done = patched_files(locked, "1", load_series(), skip)
    assert done.patches.applied == applied
    assert all(one.asked for one in done.patches.skipped)
    assert len(done.patches.skipped) + len(applied) == 3
    refuse_skipped(done.patches.skipped)


@pytest.mark.parametrize(
    ("skip", "message"),
    [
        ("nothing", "nothing is no patch"),
        ("required", "required is required"),
        ("first,x", "x is no patch"),
    ],
)
def test_wrong_names_to_leave_out(optional: Path, locked: Path, skip: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        patched_files(locked, "1", load_series(), skip.split(","))
    assert "Patches: first, second, third." in str(caught.value.hint)


def test_required_patches_cannot_be_left_out(folder: Path, locked: Path) -> None:
    with pytest.raises(UsageError, match="feature is required"):
        patched_files(locked, "1", load_series(), ["feature"])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('class = "bugfix"', 'class = "nice"', "class 'nice' is not one of required"),
        ('without = "it is slow"', "", "first: `without` says"),
        ('requires = ["first"]', 'requires = ["third"]', "second: requires third, which is no"),
        ('class = "bugfix"', 'class = "required"', "second: is required, and requires first"),
        ('name = "third"', 'name = "second"', "second: two patches have this name"),
    ],
)
def test_wrong_classes_and_requirements(optional: Path, old: str, new: str, message: str) -> None:
    (optional / "series.toml").write_text(OPTIONAL.replace(old, new))
    with pytest.raises(PorterError, match=message):
        load_series()


def test_check_command_says_what_is_skipped(
    optional: Path, locked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = sync("1.26.1", source=locked).path
    (path / "py/vm.c").write_text(CHANGED)
    assert cli.execute(["patch", "check", "1.26.1"]) == 0
    out = capsys.readouterr().out
    assert "1.26.1: skipped first: it is slow\n  patch first, hunk 1: py/vm.c, in f: expect" in out
    assert "skipped second: it is wrong\n  it requires first, skipped" in out
    assert cli.execute(["patch", "check", "1.26.1", "--strict"]) == PatchDrift.exit_code
    assert "2 of 3 do not fit" in capsys.readouterr().err
    assert cli.execute(["patch", "check", "1.26.1", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["patch"], row["class"], row["state"]) for row in rows] == [
        ("first", "performance", "skipped"),
        ("second", "bugfix", "skipped"),
        ("third", "tooling", "applies"),
    ]


def test_each_shipped_patch_can_be_left_out() -> None:
    """Without one patch, and those that require it, the hunks of all others still find their
    places.
    """
    for release in synced_releases():
        tree = release_dir(release)
        patches = chosen(tree, load_series())
        files = dict.fromkeys(hunk.file for patch in patches for hunk in patch.hunks)
        for left_out in (patch for patch in patches if patch.class_ != "required"):
            gone = {left_out.name}
            for patch in patches:
                gone |= {patch.name} if gone.intersection(patch.requires) else set()
            for file in files.keys() & {hunk.file for hunk in left_out.hunks}:
                text = (tree / file).read_text()
                for patch in patches:
                    for hunk in patch.hunks:
                        if hunk.file == file and patch.name not in gone:
                            text = apply_hunk(hunk, text, f"{patch.name} without {left_out.name}")


def test_patches_of_a_file_are_those_to_blame(optional: Path) -> None:
    """Patches that include the header with the error come before others of the file."""
    series = load_series()
    names = ("first", "second", "third")
    assert touching(series, names, "py/vm.c") == list(names)
    assert touching(series, ("second",), "py/vm.c") == ["second"]
    assert touching(series, names, "py/gc.c") == []
    include = '[[hunk]]\nfile = "py/vm.c"\naction = "include"\ntext = \'#include "own.h"\'\n'
    (optional / "third.toml").write_text(include)
    series = load_series()
    assert touching(series, names, "py/vm.c", "own.h") == ["third"]
    assert touching(series, names, "py/vm.c", "vm.c") == list(names)


def test_a_required_patch_is_never_to_blame(folder: Path) -> None:
    assert touching(load_series(), ("feature",), "py/vm.c") == []


def test_an_unreadable_patch_is_skipped_with_its_reason(optional: Path, locked: Path) -> None:
    done = patched_files(locked, "1", load_series(), unreadable={"first": "no such field"})
    assert done.patches.applied == ("third",)
    assert [one.reason for one in done.patches.skipped] == [
        "no such field",
        "it requires first, skipped",
    ]
    assert not any(one.asked for one in done.patches.skipped)


def test_patches_are_few_and_most_edits_anchor_on_names() -> None:
    """The limits: 47 patches, 10 required ones, 209 of 663 edits anchored on text."""
    series = load_series()
    assert len(series) <= 47
    assert len([patch for patch in series if patch.class_ == "required"]) <= 10
    texts = [h for p in series for h in p.hunks if h.action in ("replace", "before", "after")]
    assert len([hunk for hunk in texts if not hunk.at]) <= 209
