"""Which file belongs to which source?

Takes a survey and the configured globs, gives the files of each source. A file belongs to the first
source that takes it. What cannot be a document (a name that is not text, two names that are one
after normalisation, a name that holds a secret) is left out here, with a reason.
"""

from __future__ import annotations

import posixpath

from memidx.config import SourceConfig
from memidx.light import TYPE_CHECKING
from memidx.sources.base import SUFFIXES, FileEntry, Skip, has_suffix, suffixes_of
from memidx.sources.survey import IGNORE_FILE, Survey, survey
from memidx.text.paths import glob_base, identity, is_utf8, printable
from memidx.values import Value, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from memidx.sources.ignoring import Ignores

# A name that no pattern matches but those that match every name.
_ANY_NAME = "\ue000\ue000"


class Listing(Value):
    """The files of all sources.

    Attributes:
        survey: What was found on disk.
        by_source: Source name -> its files in order of path; every source is there.
        failed: Source name -> why its files are not all known; its documents must stay.
        skips: What was left out, with the reason.
        suspicious: Identity paths of files, and of others, that something may be private in; None
            where nobody looked.
    """

    survey: Survey
    by_source: Mapping[str, tuple[FileEntry, ...]]
    failed: Mapping[str, str]
    skips: tuple[Skip, ...]
    suspicious: frozenset[str] | None = None

    def entry(self, source: str, path: str) -> FileEntry | None:
        """The file of a source with this identity path."""
        from bisect import bisect_left  # only who looks for one pays for it

        entries = self.by_source.get(source, ())
        place = bisect_left(entries, path, key=lambda entry: entry.path)
        return entries[place] if place < len(entries) and entries[place].path == path else None


def survey_arguments(sources: Sequence[SourceConfig]) -> tuple[tuple[str, ...], frozenset[str]]:
    """The `bases` and `suffixes` that `survey` needs to see every file of these sources."""
    sources = _with_files(sources)
    bases = {base for source in sources for base in _bases(source)}
    suffixes = frozenset().union(*map(suffixes_of, sources))
    return tuple(sorted(bases)), suffixes


def list_files(root: str, sources: Sequence[SourceConfig], own: Iterable[str] = ()) -> Listing:
    """Survey the sources and say which file is whose.

    Args:
        root: Absolute path the globs are relative to.
        sources: In order of precedence; those without files take none.
        own: Absolute paths that memidx writes itself.
    """
    # A search whose sources did not change calls `survey_arguments` alone and needs none of these.
    from memidx.sources.ignoring import Ignores
    from memidx.text.redact import may_hold_private, redact

    bases, suffixes = survey_arguments(sources)
    seen = survey(root, bases, suffixes, own)
    ignores = Ignores(root, [path for path in seen.files if path.rpartition("/")[2] == IGNORE_FILE])
    failed: dict[str, str] = {}
    for unread, why in ignores.unread.items():
        where = f"{redact(printable(unread))}: {why}"
        failed = {source.name: where for source in _with_files(sources)}
    takers: list[_Taker] = []
    for source in _with_files(sources):
        for base in _bases(source):
            if base in seen.failed:
                failed[source.name] = f"{redact(printable(base)) or 'root'}: {seen.failed[base]}"
                break
        try:
            takers.append(_Taker(source))
            if source.name not in failed and (unknown := _unknown(source, seen, ignores)):
                failed[source.name] = f"{redact(printable(unknown[0]))}: {unknown[1]}"
        except ValueError as error:
            failed[source.name] = f"a glob cannot be read: {error}"
    found: dict[str, list[FileEntry]] = {source.name: [] for source in sources}
    skips = [replace(skip, path=redact(skip.path)) for skip in ignores.skips]
    taken: dict[str, str] = {}
    suspicious = frozenset(may_hold_private([*map(identity, seen.files)]))
    for path in sorted(seen.files):
        taker = next((taker for taker in takers if taker.takes(path)), None)
        if taker is None or path in ignores:
            continue
        name = taker.name
        stable = identity(path)
        if stable == path:
            # One string for both: there may be a million of them.
            stable = path
        reason = _refusal(path, stable, taken, suspicious)
        if reason is not None:
            skips.append(Skip(redact(printable(path)), reason, source=name))
            continue
        taken[stable] = path
        found[name].append(FileEntry(stable, root, path, seen.files[path]))
    skips += (
        replace(skip, path=redact(skip.path))
        for skip in seen.skips
        if skip.path not in ignores
        and (
            not has_suffix(skip.path, tuple(suffixes))
            or any(taker.takes(skip.path) for taker in takers)
        )
    )
    return Listing(
        survey=seen,
        by_source={
            name: tuple(sorted(entries, key=lambda entry: entry.path))
            for name, entries in found.items()
        },
        failed=failed,
        skips=tuple(sorted(skips, key=lambda skip: skip.path)),
        suspicious=suspicious,
    )


def _unknown(source: SourceConfig, seen: Survey, ignores: Ignores) -> tuple[str, str] | None:
    """A path that may hide documents of a source though its bases are there, and why."""
    for glob in source.include:
        base = glob_base(glob)
        # A base is in the survey if it is a file, and then the glob must have meant that file.
        if base in seen.files and not glob.startswith(("!", "#")) and not _matcher([glob])(base):
            return base, "is not a folder"
    for folder in sorted(seen.unlisted):
        inside = f"{folder}/{_ANY_NAME}"
        # The source's globs with those that may match in there made to match everything.
        globs = [
            "**" if _may_reach(glob, folder) else glob
            for glob in source.include
            if glob.startswith("!") or _may_reach(glob, folder)
        ]
        excluded = bool(source.exclude) and _matcher(source.exclude)(inside)
        if globs and _matcher(globs)(inside) and not excluded and inside not in ignores:
            return folder, seen.failed[folder]
    return None


def _may_reach(glob: str, folder: str) -> bool:
    """Whether a glob may match something inside a folder."""
    base = glob_base(glob)
    if glob.startswith(("!", "#")) or (base and not f"{folder}/".startswith(f"{base}/")):
        return False
    parts = _plain(glob).strip("/").split("/")
    if "**" in glob or (len(parts) == 1 and not glob.startswith("/")):
        return True
    # Each part matches one level, and what lies in a folder that matches is matched with it.
    head = "/".join(parts[: folder.count("/") + 1])
    return _matcher([f"/{head}"])(f"{folder}/{_ANY_NAME}")


def _refusal(
    path: str, stable: str, taken: Mapping[str, str], suspicious: Collection[str]
) -> str | None:
    """Why a file cannot be a document whatever it holds; None when it can."""
    # Loaded here for the reason given in `list_files`.
    from memidx.text.redact import holds_private

    if not is_utf8(path):
        return "the name is not UTF-8"
    if stable in taken:
        return f"has the same name as {taken[stable]!a} once Unicode is normalised"
    if stable in suspicious and holds_private(stable):
        return "the path itself holds a secret or a home folder"
    return None


def _with_files(sources: Sequence[SourceConfig]) -> list[SourceConfig]:
    return [source for source in sources if source.kind in SUFFIXES]


def _bases(source: SourceConfig) -> list[str]:
    return sorted({glob_base(glob) for glob in source.include if not glob.startswith(("!", "#"))})


class _Taker:
    """Whether a source takes a path, by suffix and globs.

    Raises:
        ValueError: A glob is malformed.
    """

    def __init__(self, source: SourceConfig) -> None:
        self.name = source.name
        self._suffixes = tuple(suffixes_of(source))
        self._included = _matcher(source.include)
        self._excluded = _matcher(source.exclude) if source.exclude else None

    def takes(self, path: str) -> bool:
        if not has_suffix(path, self._suffixes) or not self._included(path):
            return False
        return self._excluded is None or not self._excluded(path)


def _matcher(globs: Sequence[str]) -> Callable[[str], bool]:
    """A test of root-relative paths against globs in gitignore's syntax."""
    globs = [_plain(glob) for glob in globs]
    if "**" in globs and not any(glob.startswith("!") for glob in globs):
        return lambda path: True
    # Whole folders are the usual case and need no pattern matcher.
    folders = [_whole_folder(glob) for glob in globs]
    prefixes = tuple(folder for folder in folders if folder is not None)
    if len(prefixes) == len(globs):
        return lambda path: path.startswith(prefixes)
    # pathspec is loaded only where there is something to match.
    import pathspec

    return pathspec.GitIgnoreSpec.from_lines(globs).match_file


def _whole_folder(glob: str) -> str | None:
    """`folder/` for a glob `folder/**` or `/folder/**` without further wildcards."""
    body = glob.removeprefix("/")
    if not body.endswith("/**") or glob.startswith(("!", "#")) or body != body.strip():
        return None
    folder = body[:-2]
    return None if any(c in "*?[\\" for c in folder) or folder.startswith("/") else folder


def _plain(glob: str) -> str:
    """The glob without `.` and `..` parts, which no pattern matcher would ever match."""
    if "./" not in glob and "//" not in glob and not glob.endswith(("/..", "/.")):
        return glob
    sign, body = ("!", glob[1:]) if glob.startswith("!") else ("", glob)
    slash = "/" if body.startswith("/") else ""
    plain = posixpath.normpath(body.lstrip("/"))
    # With one part left it would match at every depth; it was meant below root.
    return f"{sign}{slash or '/'}{plain}" + ("/" if body.endswith("/") else "")
