"""Query and fetch upstream's git repository; its address is only in `.gitmodules`.

`porter sync master` and `porter regress master` take the development branch, which becomes a tree
in the staging folder with a line on its origin. `synchronization.py` names the tree and installs
it.
"""

from __future__ import annotations

import configparser
import os
import re
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

from porter.base import paths
from porter.base.process import run
from porter.base.progress import Say, silent
from porter.base.release_name import DEVELOPMENT, SUBMODULE, version_key
from porter.errors import PorterError, SyncFailed, ToolFailed, ToolMissing, UsageError
from porter.sync.folder import VARIABLE, sources_folder
from porter.sync.trees import check_tree

LOOKUP_TIMEOUT = 10.0  # seconds; short, so that without a network the next origin is tried soon
BRANCHES_TIMEOUT = 30.0  # git lists all refs of the repository, a few MB
CLONE_TIMEOUT = 900.0
# git must not prompt: no terminal prompt, no credential or ssh dialogue.
QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
}


def upstream_url() -> str:
    """Return the address in `.gitmodules`. Raises SyncFailed if there is none."""
    parser = configparser.ConfigParser()
    path = paths.gitmodules_file()
    try:
        text = path.read_text(encoding="utf-8")
        parser.read_string("\n".join(row.strip() for row in text.splitlines()))
        return parser['submodule "upstream/micropython"']["url"]
    except (OSError, KeyError, configparser.Error) as error:
        raise SyncFailed(f"{path} names no upstream repository") from error


def remote_tags(pattern: str = "v*") -> list[str]:
    """Return the tags of upstream's repository. Raises SyncFailed if git cannot reach it."""
    url = upstream_url()
    try:
        done = run(
            ["git", "ls-remote", "--tags", "--refs", url, f"refs/tags/{pattern}"],
            env=QUIET,
            timeout=LOOKUP_TIMEOUT,
        )
    except (ToolFailed, ToolMissing) as error:
        raise SyncFailed(_reason(error)) from error
    return re.findall(r"refs/tags/(\S+)$", done.stdout, re.MULTILINE)


def remote_releases() -> list[str]:
    """Return the releases that upstream has tagged, from 1.24 on (older ones are unsupported)."""
    names = [tag[1:] for tag in remote_tags() if re.fullmatch(r"v\d+(\.\d+)+", tag)]
    return [name for name in names if version_key(name) >= version_key("1.24")]


def clone(tag: str, into: Path) -> None:
    """Clone the tree of `tag` into the new folder `into`, without history."""
    if tag not in remote_tags(tag):
        raise SyncFailed(f"upstream's repository has no tag {tag}")
    argv = ["git", "-c", "advice.detachedHead=false", "clone", "--quiet", "--depth", "1"]
    try:
        run(
            [*argv, "--branch", tag, upstream_url(), into],
            env=QUIET,
            timeout=CLONE_TIMEOUT,
        )
    except (ToolFailed, ToolMissing) as error:
        raise SyncFailed(_reason(error)) from error
    shutil.rmtree(into / ".git", ignore_errors=True)


def branch_ref(url: str) -> str:
    """Return the ref of a repository's development branch.

    Args:
        url: The repository's address, or the folder of a checkout.

    Returns:
        The first of these refs that the repository has: for an address, the branch that HEAD names
        and `master`; for a checkout, whose HEAD may be anywhere, the branches that it fetched from
        its origin, then its own.

    Raises:
        SyncFailed: There is no git, git cannot read the repository, or it has none of the refs.
    """
    listed = _git("ls-remote", "--symref", url, timeout=BRANCHES_TIMEOUT, where=url)
    refs = set(re.findall(r"^[0-9a-f]{40,}\t(\S+)$", listed, re.MULTILINE))
    head = re.search(r"^ref: (refs/heads/\S+)\tHEAD$", listed, re.MULTILINE)
    own = f"refs/heads/{DEVELOPMENT}"
    if Path(url).is_dir():
        wanted = ["refs/remotes/origin/HEAD", f"refs/remotes/origin/{DEVELOPMENT}", own]
    else:
        wanted = [head[1], own] if head is not None else [own]
    found = next((ref for ref in wanted if ref in refs), None)
    if found is None:
        raise SyncFailed(f"{url} has no branch {DEVELOPMENT}")
    return found


def fetch(url: str, ref: str, into: Path) -> str:
    """Put the tree of a ref into a new folder, without its history.

    Args:
        url: The repository's address, or the folder of a checkout.
        ref: The ref's full name.
        into: The folder, which does not exist.

    Returns:
        The commit, 40 hexadecimal digits.

    Raises:
        SyncFailed: There is no git, or git cannot fetch the ref.
    """
    into.mkdir()
    # Both options override a caller's GIT_DIR and GIT_WORK_TREE, which name another repository.
    here = (f"--git-dir={into / '.git'}", f"--work-tree={into}")
    _git(*here, "init", "--quiet", "--template=", timeout=LOOKUP_TIMEOUT)
    _git(*here, "fetch", "--quiet", "--depth", "1", url, ref, timeout=CLONE_TIMEOUT, where=url)
    commit = _git(*here, "rev-parse", "FETCH_HEAD", timeout=LOOKUP_TIMEOUT).strip()
    advice = ("-c", "advice.detachedHead=false")
    _git(*here, *advice, "checkout", "--quiet", commit, timeout=CLONE_TIMEOUT)
    shutil.rmtree(into / ".git", ignore_errors=True)
    return commit


def _git(*args: str, timeout: float, where: str = "") -> str:
    """Run git and return its stdout.

    Raises:
        SyncFailed: There is no git, or it failed; the message names `where`.
    """
    try:
        return run(["git", *args], env=QUIET, timeout=timeout).stdout
    except (ToolFailed, ToolMissing) as error:
        reason = _reason(error)
        raise SyncFailed(reason if where in reason else f"{where}: {reason}") from error


def _reason(error: PorterError) -> str:
    if isinstance(error, ToolMissing):
        return "no git on this machine"
    output = error.output if isinstance(error, ToolFailed) else ""
    fatal = [row for row in output.splitlines() if row.startswith(("fatal:", "error:"))]
    return fatal[0] if fatal else error.message


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
            ref = branch_ref(url)
            commit = fetch(url, ref, tree)
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
                urls = [upstream_url()]
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
