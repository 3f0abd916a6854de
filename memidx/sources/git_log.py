"""What do the commits of a repository say?

One `git log` a question, read as a stream. A commit is an item: its subject, its body, the files it
changed. Nothing in it depends on who asks or where: no setting of the repository or the user
changes what is printed, and none runs a program or reaches a network.

Names and mail addresses of authors are left out, those in trailers (`Reviewed-by: …`) lose the
address.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from memidx import processes
from memidx.errors import ProgramError
from memidx.sources.base import Gone, Item, Skip, SourceFailed
from memidx.sources.git_refs import Repository
from memidx.text.dates import time_from_seconds
from memidx.text.paths import printable

# Commits that are asked for by name, in the arguments of one process.
MOST_NAMED = 500

_MOST_FILES = 1000
_LONGEST_PIECE = 1 << 26
_KEPT = ("GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
_KEPT_PREFIXES = ("GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")
# What the settings of a repository or of a user would otherwise change.
_SETTINGS = (
    "log.showSignature=false",  # would run what `gpg.program` names
    "log.showRoot=true",
    "core.fsmonitor=false",
    "diff.orderFile=/dev/null",
    "diff.relative=false",
    "color.ui=false",
    "protocol.allow=never",  # a partial clone would fetch what it lacks
)
_OPTIONS = [
    "--no-show-signature",
    "--encoding=UTF-8",
    "-z",
    "--name-only",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=none",
    "--no-color",
    "--no-notes",
    "--no-decorate",
]
# An empty piece, then one a field; no file name is empty, so that a record shows where it begins.
_FORMAT = "%x00%m%H%x00%P%x00%at%x00%ae%x00%ce%x00%s%x00%b%x00"
_N_FIELDS = 7
_MAIL = re.compile(r" ?<[^<>\s@]+@[^<>\s]+>")
_NAME = re.compile(r"[-<>=^]?([0-9a-f]{40}|[0-9a-f]{64})")


class _Commit(NamedTuple):
    """One record of the stream, not yet text."""

    mark: bytes
    sha: str
    parents: tuple[str, ...]
    seconds: bytes
    mails: tuple[bytes, bytes]
    subject: bytes
    body: bytes
    files: list[bytes]
    n_files: int


def commits(
    repository: Repository, part: str, source: str, revision: str, env: Mapping[str, str]
) -> Iterator[Item | Gone | Skip]:
    """Every commit reachable from a revision, newest first.

    Raises:
        SourceFailed: While it is read, and then what was read so far does not count.
    """
    try:
        for commit in _log(repository, [revision], env):
            yield from _items(commit, part, source)
    except ProgramError as error:
        # The branch was made, but nothing was committed to it yet.
        if "does not have any commits yet" in error.what and revision == "HEAD":
            return
        raise SourceFailed(error.what) from error


def changes(
    repository: Repository,
    part: str,
    source: str,
    before: str,
    after: str,
    env: Mapping[str, str],
) -> list[Item | Gone | Skip] | None:
    """What one revision reaches and another did not, and the other way round.

    None where git cannot compare them: a commit that nothing leads to is cleared away some day.
    """
    found: list[Item | Gone | Skip] = []
    try:
        for commit in _log(repository, ["--left-right", f"{before}...{after}"], env):
            if commit.mark == b"<":
                found.append(Gone(commit.sha))
            else:
                found.extend(_items(commit, part, source))
    except ProgramError:
        return None
    return found


def named(
    repository: Repository,
    part: str,
    source: str,
    shas: Collection[str],
    env: Mapping[str, str],
) -> Iterator[Item | Gone | Skip]:
    """The commits with these full names.

    Raises:
        SourceFailed: While it is read; one of them is not there any more, for example.
    """
    try:
        for commit in _log(repository, ["--no-walk=unsorted", *sorted(shas)], env):
            yield from _items(commit, part, source)
    except ProgramError as error:
        raise SourceFailed(error.what) from error


def knows_any(repository: Repository, shas: Collection[str], env: Mapping[str, str]) -> bool:
    """Whether a repository holds one of these commits (of the first few)."""
    some = sorted(shas)[:MOST_NAMED]
    command = ["rev-list", "--no-walk", "--ignore-missing", "--max-count=1", *some, "--"]
    try:
        return bool(some) and any(run_git(repository, command, env))
    except ProgramError:
        return False


def _log(repository: Repository, revisions: list[str], env: Mapping[str, str]) -> Iterator[_Commit]:
    command = ["log", *_OPTIONS, f"--format=tformat:{_FORMAT}", *revisions, "--"]
    return _records(_pieces(run_git(repository, command, env)))


def run_git(
    repository: Repository, arguments: Sequence[str], env: Mapping[str, str]
) -> Iterator[bytes]:
    """What git prints about a repository, whatever is set there or by the user.

    Raises:
        ProgramError: It cannot be started, or fails; then, after what it printed.
    """
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    command = ["git", "--no-pager", "--no-replace-objects", "-C", repository.folder, *settings]
    kept = {
        name: value
        for name, value in env.items()
        if not name.startswith("GIT_") or name in _KEPT or name.startswith(_KEPT_PREFIXES)
    }
    sanitised = {
        **kept,
        "LC_ALL": "C",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_GRAFT_FILE": os.devnull,
        # The repository that was found is the one that is read, none above it.
        "GIT_CEILING_DIRECTORIES": os.path.dirname(repository.folder),
    }
    return processes.read_output([*command, *arguments], env=sanitised)


def _pieces(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """What stands between NULs; of a piece beyond all reason, the beginning."""
    held: list[bytes] = []
    size = 0
    for chunk in chunks:
        *ends, rest = chunk.split(b"\0")
        for end in ends:
            yield b"".join((*held, end)) if held else end
            held, size = [], 0
        if rest and size < _LONGEST_PIECE:
            held.append(rest)
            size += len(rest)
    if held:
        yield b"".join(held)


def _records(pieces: Iterator[bytes]) -> Iterator[_Commit]:
    """The commits of a stream in `_FORMAT`.

    Raises:
        ProgramError: It is not such a stream.
    """
    first = next(pieces, None)
    while first is not None:
        fields = [piece for _, piece in zip(range(_N_FIELDS), pieces, strict=False)]
        name = _NAME.fullmatch(fields[0].decode("latin-1")) if fields else None
        if first or name is None or len(fields) < _N_FIELDS or next(pieces, None) != b"":
            raise ProgramError("git log gave something that cannot be read")
        files: list[bytes] = []
        n_files = 0
        # An empty piece ends the names, and is the first of the next record.
        while first := next(pieces, None):
            files += [first.removeprefix(b"\n")] if n_files < _MOST_FILES else []
            n_files += 1
        yield _Commit(
            fields[0][: -len(name[1])],
            name[1],
            tuple(fields[1].decode("latin-1").split()),
            fields[2],
            (fields[3], fields[4]),
            fields[5],
            fields[6],
            files,
            n_files,
        )


def _items(commit: _Commit, part: str, source: str) -> Iterator[Item | Skip]:
    place = f"{part}#{commit.sha}"
    subject, body = _text(commit.subject), _text(commit.body)
    if subject is None or body is None:
        yield Skip(place, "bytes that are not UTF-8 were replaced", source=source)
    if len(commit.body) >= _LONGEST_PIECE:
        yield Skip(place, "the message was cut", source=source)
    if commit.n_files > _MOST_FILES:
        reason = f"{_MOST_FILES:,} of {commit.n_files:,} files are listed"
        yield Skip(place, reason, source=source)
    mails = [mail.decode("utf-8", "replace") for mail in commit.mails if b"@" in mail]
    title = _without_mails(subject or _replaced(commit.subject), mails)
    message = _without_mails(body or _replaced(commit.body), mails)
    blocks = [title, message.strip("\n"), _file_list(commit)]
    yield Item(
        path=part,
        anchor=commit.sha,
        text="\n\n".join(block for block in blocks if block.strip()) + "\n",
        title=title or None,
        time=_time(commit.seconds),
        follows=commit.parents,
    )


def _file_list(commit: _Commit) -> str:
    if not commit.files:
        return ""
    names = [printable(name.decode("utf-8", "surrogateescape")) for name in commit.files]
    if commit.n_files > len(names):
        names.append(f"… and {commit.n_files - len(names):,} more")
    return "\n".join(names)


def _text(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _replaced(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _without_mails(text: str, mails: Iterable[str]) -> str:
    """A message without the addresses of whoever made the commit or is named in it."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "@" not in text:
        return text
    text = _MAIL.sub("", text)
    for mail in mails:
        if mail in text:
            text = re.sub(rf"(?<![\w.+-]){re.escape(mail)}(?![\w-])", "", text)
    return "\n".join(line.rstrip() for line in text.split("\n"))


def _time(seconds: bytes) -> str | None:
    try:
        return time_from_seconds(int(seconds))
    except ValueError:
        return None
