"""Patches find their place by what upstream says there, and say so when they cannot."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from porter import cli
from porter.base import paths
from porter.errors import PatchDrift, PorterError
from porter.patches import check_series, load_series, patched_files
from porter.patches.anchors import apply_hunk
from porter.patches.applying import chosen
from porter.patches.model import Hunk, Patch
from porter.patches.refresh import refresh
from porter.sync.lock import read_lock
from porter.sync.store import release_dir, synced_releases
from porter.sync.syncing import sync

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
    replaced = apply_hunk(hunk(anchor), C)
    assert replaced.exact and replaced.text == C.replace(anchor, "NEW;")
    before = apply_hunk(hunk(anchor, action="before"), C).text
    assert before == C.replace(anchor, f"NEW;\n{anchor}")
    after = apply_hunk(hunk(anchor, "NEW;", action="after"), C).text
    assert after == C.replace(anchor, f"{anchor}\nNEW;")


def test_function_tells_alike_lines_apart() -> None:
    anchor = "        return 1;"
    with pytest.raises(PatchDrift, match=r"there 2 times \(lines 5, 13\)"):
        apply_hunk(hunk(anchor), C)
    first = apply_hunk(hunk(anchor, inside="first"), C).text
    second = apply_hunk(hunk(anchor, inside="second"), C).text
    assert first.splitlines()[4] == "NEW;" and first.count("return 1;") == 1
    assert second.splitlines()[12] == "NEW;" and second.count("return 1;") == 1


def test_moved_lines_and_changed_blanks_do_not_matter() -> None:
    anchor = "    return first(b);"
    moved = "\n" * 50 + C
    assert apply_hunk(hunk(anchor), moved).exact
    indented = C.replace(anchor, "\treturn  first(b);")
    applied = apply_hunk(hunk(anchor), indented)
    assert not applied.exact and "NEW;" in applied.text


def test_exact_match_wins_over_a_loose_one() -> None:
    text = "a b\na  b\n"
    assert apply_hunk(hunk("a b"), text).text == "NEW;\na  b\n"


def test_drift_shows_expected_and_nearest() -> None:
    with pytest.raises(PatchDrift) as caught:
        apply_hunk(hunk("    return first(c);", inside="second"), C, "feature", 2)
    message = str(caught.value)
    assert message.startswith("patch feature, hunk 2: py/vm.c, in second: expected\n")
    assert "return first(c);" in message
    assert "nearest, line 15" in message and "return first(b);" in message
    assert (caught.value.patch, caught.value.file) == ("feature", "py/vm.c")


def test_enter_needs_the_name_alone() -> None:
    enter = attrs.evolve(hunk("", inside="second"), action="enter", anchor=())
    for text in (C, C.replace("    int b) {", "    int c)\n{")):
        applied = apply_hunk(enter, text)
        head, _, rest = applied.text.partition("NEW;\n")
        assert applied.exact and head.rstrip().endswith("{") and "second(" in head.split("}")[-1]
        assert head + rest == text
    with pytest.raises(PatchDrift, match="there is no function third"):
        apply_hunk(attrs.evolve(enter, inside="third"), C)


def test_function_that_is_gone() -> None:
    with pytest.raises(PatchDrift, match="there is no function third"):
        apply_hunk(hunk("x", inside="third"), C)


SERIES = """
[[patch]]
name = "feature"
purpose = "shows"
file = "feature.toml"
releases = ["1.26.1"]
test = "tests/x.py"
unless = { file = "py/done.h", text = "upstream_feature (1)" }
where = { file = "py/mpconfig.h", text = "#define  MICROPY_VERSION_MAJOR" }

[[patch]]
name = "feature"
purpose = "shows, as upstream was before"
file = "old.toml"
releases = ["1.25.0"]
test = "tests/x.py"
where = { file = "py/old.h", text = "old form" }
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
    (root / "old.toml").write_text(FEATURE.replace("return 1", "return 7"))
    monkeypatch.setattr(paths, "patches_dir", lambda: root)
    return root


def test_series_patches_a_copy(folder: Path, locked: Path) -> None:
    series = load_series()
    before = (locked / "py/vm.c").read_text()
    files = patched_files(locked, "1.26.1", series)
    assert list(files) == ["py/vm.c"]
    assert "return 2;\n    // twice\n}" in files["py/vm.c"]
    assert (locked / "py/vm.c").read_text() == before


def test_variants_by_what_upstream_shows(folder: Path, locked: Path) -> None:
    series = load_series()
    assert [c.state for c in check_series(locked, "1.26.1", series)] == ["exact"]
    (locked / "py/old.h").write_text("/*  old   form */\n")
    both = check_series(locked, "1.26.1", series)
    assert [c.state for c in both] == ["fails"] and "several variants fit" in both[0].detail
    (locked / "py/mpconfig.h").write_text("")
    old = check_series(locked, "1.25.0", series)
    assert [c.state for c in old] == ["fails"] and "return 7" in old[0].detail
    (locked / "py/old.h").unlink()
    with pytest.raises(PatchDrift, match=r"feature: no variant fits.*py/old\.h has 'old form'"):
        patched_files(locked, "1.25.0", series)
    (locked / "py/done.h").write_text("#define upstream_feature   (1)\n")
    assert check_series(locked, "1.25.0", series) == []
    assert patched_files(locked, "1.25.0", series) == {}


def test_a_tree_without_what_a_patch_changes(folder: Path, locked: Path) -> None:
    (folder / "series.toml").write_text(
        SERIES.replace("where", 'needs = { file = "py/new.h", text = "new form" }\nwhere', 1)
    )
    assert check_series(locked, "1.26.1", load_series()) == []
    assert patched_files(locked, "1.26.1", load_series()) == {}
    (locked / "py/new.h").write_text("new  form\n")
    assert [c.state for c in check_series(locked, "1.26.1", load_series())] == ["exact"]


def test_check_command(folder: Path, locked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = sync("1.26.1", source=locked).path
    assert cli.execute(["patch", "check"]) == 0
    assert "exact" in capsys.readouterr().out
    (path / "py/vm.c").write_text("int f(void) {\n\treturn 1;\n}\n")
    assert cli.execute(["patch", "check", "1.26.1"]) == 0
    assert "drift" in capsys.readouterr().out
    (path / "py/vm.c").write_text("int f(void) {\n    return 3;\n}\n")
    assert cli.execute(["patch", "check", "1.26.1"]) == PatchDrift.exit_code
    captured = capsys.readouterr()
    assert "fails" in captured.out and "return 3;" in captured.err
    (path / "py/vm.c").unlink()
    assert cli.execute(["patch", "check", "1.26.1", "--json"]) == PatchDrift.exit_code
    assert "there is no such file" in capsys.readouterr().out


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
        ("feature.toml", "[[hunk]]\nfile='a'\nacton=''", "feature.toml: hunk 1: unknown key acton"),
        ("feature.toml", "[[hunk", "cannot be read"),
        ("series.toml", SERIES.replace(', text = "old form"', ""), "where is a table"),
        ("series.toml", SERIES.replace('"upstream_feature (1)"', '" "'), "unless is a table"),
    ],
)
def test_broken_series(folder: Path, file: str, text: str, message: str) -> None:
    (folder / file).write_text(text)
    with pytest.raises(PorterError, match=message):
        load_series()


def test_refresh_takes_the_releases_own_words(folder: Path, locked: Path) -> None:
    (locked / "py/vm.c").write_text("int f(void) {\n\treturn  1;\n}\n")
    assert [c.state for c in check_series(locked, "1.27.0", load_series())] == ["drift"]
    done = refresh(locked, "1.27.0")
    assert (done.anchors, done.patches) == (1, ("feature.toml",))
    series = load_series()
    assert [c.state for c in check_series(locked, "1.27.0", series)] == ["exact"]
    assert series[0].releases == ("1.26.1", "1.27.0")
    assert series[1].releases == ("1.25.0",)
    assert refresh(locked, "1.27.0").patches == ()


def test_refresh_writes_nothing_when_a_patch_fails(folder: Path, locked: Path) -> None:
    before = {path: path.read_text() for path in folder.iterdir()}
    (locked / "py/vm.c").write_text("int f(void) {\n}\n")
    with pytest.raises(PatchDrift):
        refresh(locked, "1.27.0")
    assert {path: path.read_text() for path in folder.iterdir()} == before


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
    for release in set(synced_releases()) & set(read_lock(paths.lock_file()).entries):
        for patch in chosen(release_dir(release), series):
            assert isinstance(patch, Patch) and release in patch.releases, (patch, release)
    for patch in series:
        assert patch.purpose.endswith(".") and patch.releases, patch.name
        assert (paths.patches_dir().parent / patch.test).is_file(), patch.name
