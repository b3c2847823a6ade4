"""The data model of a patch: hunks, function replacements, its class, and the trees it is for."""

from __future__ import annotations

from collections.abc import Container, Iterable
from pathlib import Path

from attrs import frozen

from porter.base.c_text import token_pattern, without_comments
from porter.manifest import NO_PATCHES, Patches

ACTIONS = ("replace", "before", "after", "enter", "above", "call", "include")
NAMED = ("enter", "above", "include")  # actions without an anchor

# Effect of a missing patch on a build, by class:
# required:    porter refuses the release.
# performance: the build is correct and slower.
# bugfix:      the build has a defect of upstream.
# tooling:     the build is correct; a command of porter or a feature for programs is missing.
REQUIRED = "required"
CLASSES = (REQUIRED, "performance", "bugfix", "tooling")


@frozen
class Hunk:
    """An edit of an upstream file.

    Attributes:
        file: The path of the file, relative to the root of the source tree.
        anchor: C text that occurs once in the file, or once in the function `inside`. Tokens are
            compared: blanks, line breaks and comments between them do not matter.
        action: An element of `ACTIONS`. `before`, `after` and `replace` put `text` beside the
            anchor or in its place. `enter` puts it at the start of the body of the function
            `inside`, `above` before its definition, and `include` after the file's first block of
            `#include` lines; these have no anchor. `call` makes each call of the function or macro
            `anchor` in `inside` a call of `text`; both are names.
        text: The text, whole lines.
        inside: The function that limits the search, or "".
        at: In place of an anchor, a name: of a function or macro that one statement of the function
            `inside` uses, of a label or case (`MP_BC_NEXT:`), or of a macro that the file defines
            (`#define NAME`). The actions `before` and `after` insert `text` before or after the
            statement, the head of its block, the label, or the definition.
        where: The edit is for trees whose file has this C text, compared by tokens.
        unless: The edit is for trees whose file lacks this C text.
    """

    file: str
    anchor: tuple[str, ...]
    action: str
    text: str
    inside: str = ""
    at: str = ""
    where: str = ""
    unless: str = ""

    def wanted(self, root: Path) -> bool:
        """Return whether the edit is for the tree `root`."""
        if self.where and not Sign(self.file, self.where).shows(root):
            return False
        return not (self.unless and Sign(self.file, self.unless).shows(root))


@frozen
class FunctionReplacement:
    """A function of the port that replaces a function of upstream.

    Attributes:
        file: The file that defines the function, relative to the root of the source tree.
        function: The function.
        text: The new body: statements that may name the parameters.
        bodies: Digests of the definitions, with macros expanded, for which the text was written
            (porter/preprocess/function_replacement.py). Another definition is left as it is.
        patch: The patch that has this replacement.
        without: The missing feature of a build without the patch.
        whole: Whether an unknown body skips the whole patch, because other edits of the patch share
            an invariant with the function: the order of a table, equal hashes of equal numbers.
    """

    file: str
    function: str
    text: str
    bodies: tuple[str, ...]
    patch: str = ""
    without: str = ""
    whole: bool = False


@frozen
class Sign:
    """C text whose presence in a file of upstream identifies a tree; tokens are compared."""

    file: str
    text: str

    def shows(self, root: Path) -> bool:
        """Return whether a file of the tree `root` has the text outside of comments."""
        try:
            text = (root / self.file).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return False
        return token_pattern(self.text).search(without_comments(text)) is not None


@frozen
class Patch:
    """A feature's change to upstream.

    Attributes:
        name: The feature's name.
        file: The file of hunks, beside the series.
        class_: An element of `CLASSES`.
        purpose: The purpose of the patch, in a sentence.
        without: The missing feature of a build without the patch: "string hashing is upstream's".
        test: The test that shows that the patch works.
        hunks: The edits. All of them that the tree wants apply, or none.
        replacements: The functions that it replaces, each where its body is known.
        requires: Earlier patches of the series without which this one is skipped.
        needs: A tree without this sign lacks the code that the feature changes.
    """

    name: str
    file: str
    class_: str
    purpose: str
    without: str
    test: str
    hunks: tuple[Hunk, ...]
    replacements: tuple[FunctionReplacement, ...] = ()
    requires: tuple[str, ...] = ()
    needs: Sign | None = None


def touching(
    series: Iterable[Patch], applied: Container[str], file: str, included: str = ""
) -> list[str]:
    """Return the applied patches that change a file and are not required.

    Args:
        series: All patches.
        applied: The names of the applied ones.
        file: The path of the file in the source tree.
        included: The name of a header. If some of the patches name it, only those are returned.
    """
    found = {
        patch.name: " ".join(hunk.text for hunk in patch.hunks if hunk.file == file)
        for patch in series
        if patch.name in applied
        and patch.class_ != REQUIRED
        and file
        in {*(hunk.file for hunk in patch.hunks), *(one.file for one in patch.replacements)}
    }
    naming = [name for name, text in found.items() if included and f'"{included}"' in text]
    return naming or list(found)


@frozen
class Patched:
    """A source tree after the patches.

    Attributes:
        texts: The new text of every file that a patch changes, by its path in the tree.
        patches: The applied patches, in order, and the skipped patches.
        replacements: The replacements of the applied patches.
    """

    texts: dict[str, str]
    patches: Patches = NO_PATCHES
    replacements: tuple[FunctionReplacement, ...] = ()
