"""Fetch upstream's development branch, for `porter sync master` and `porter regress master`.

Input: the staging folder. Output: a tree in this folder and a line on its origin.
`porter.sync.synchronization` calls this module, names the tree and installs it. The git commands
are in `porter.sync.gitrepo`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

from porter.base import paths
from porter.base.progress import Say, silent
from porter.base.release_name import DEVELOPMENT, SUBMODULE
from porter.errors import PorterError, SyncFailed, UsageError
from porter.sync import gitrepo
from porter.sync.folder import VARIABLE, sources_folder
from porter.sync.trees import check_tree

# The branch moves. So git comes before the submodule, which has the commits of its last fetch only.
DEVELOPMENT_ORIGINS = ("sources", "git", "submodule")


def fetch_development(origins: Collection[str], stage: Path, say: Say = silent) -> tuple[Path, str]:
    """Put upstream's development branch into the staging folder, from the first working origin.

    Args:
        origins: Names of the origins to ask; origins without branches are left out.
        stage: The staging folder.
        say: Receives a line before git uses the network, and a line on the origin.

    Returns:
        The tree's folder, and a line with its commit, branch and repository.

    Raises:
        UsageError: None of the origins has branches.
        SyncFailed: No origin has the branch; the message has the reason of each.
    """
    asked = [name for name in DEVELOPMENT_ORIGINS if name in origins]
    if not asked:
        raise UsageError(
            f"{DEVELOPMENT}: no branch comes from {', '.join(origins)}",
            hint=f"Origins with branches: {', '.join(DEVELOPMENT_ORIGINS)}.",
        )
    reasons = []
    if shutil.which("git") is None:
        asked, reasons = [], ["no git on this machine"]
    for number, (origin, url, problem) in enumerate(_repositories(asked)):
        tree = stage / str(number)
        try:
            if problem is not None:
                raise problem
            if origin == "git":
                say(f"{DEVELOPMENT}: asking git")
            ref = gitrepo.branch_ref(url)
            commit = gitrepo.fetch(url, ref, tree)
            check_tree(tree)
        except PorterError as error:
            reasons.append(f"{origin}: {error.message.replace(str(tree), url)}")
            continue
        branch = ref.removeprefix("refs/").removeprefix("heads/").removeprefix("remotes/")
        line = f"git commit {commit} (branch {branch} of {url})"
        say(f"{DEVELOPMENT}: from {line}")
        return tree, line
    raise SyncFailed(
        "\n  ".join(["no origin gave upstream's development branch:", *reasons]),
        hint=f"git needs access to the address in {paths.gitmodules_file()}. Or set {VARIABLE} to "
        "a git checkout that has the branch; `porter sync --from FOLDER` takes any tree.",
    )


def _repositories(
    origins: Collection[str],
) -> Iterator[tuple[str, str, PorterError | None]]:
    """Yield each repository that may have the branch.

    Args:
        origins: Names of the origins, in the order in which they are asked.

    Yields:
        The origin, the address or folder, and an error if the origin has no repository.
    """
    for origin in origins:
        try:
            if origin == "git":
                urls = [gitrepo.upstream_url()]
            elif origin == "submodule":
                urls = _checkouts(paths.upstream_dir() / SUBMODULE)
            else:
                folder = sources_folder()
                urls = _checkouts(folder, *sorted(folder.iterdir()))
        except OSError as error:
            yield origin, "", SyncFailed(f"{error.filename}: {error.strerror}")
        except PorterError as error:
            yield origin, "", error
        else:
            for url in urls:
                yield origin, url, None


def _checkouts(first: Path, *others: Path) -> list[str]:
    """Return the folders that are git checkouts.

    Raises:
        SyncFailed: No folder is a checkout; the message names the first one.
    """
    # git accepts a folder inside a checkout as that checkout, so check for `.git` here.
    found = [str(path) for path in (first, *others) if os.path.exists(path / ".git")]
    if not found:
        raise SyncFailed(f"{first} is no git checkout")
    return found
