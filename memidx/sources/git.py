"""Which commits does a source hold, and did that change?

The commits reachable from HEAD, or from `until`, of each repository. Here is what every search
needs: the state of the repositories, read from a few small files. Commits themselves are read by
`memidx.sources.git_log`, and only when a state is a new one.
"""

from __future__ import annotations

import os.path
from collections.abc import Collection, Mapping

from memidx import files
from memidx.config import SourceConfig
from memidx.config.repos import Repo
from memidx.errors import FileError
from memidx.sources.base import Fed, FeedKind, SourceFailed
from memidx.sources.git_refs import Repository, State, find_repository, state_of
from memidx.text.paths import is_within

_PREFIX = "git:"


class _Git:
    """The `git` kind."""

    name = "git"

    def parts(self, source: SourceConfig) -> tuple[str, ...]:
        """`git:` and the name of each repository."""
        return tuple(_PREFIX + repo.name for repo in source.repos)

    def token(self, source: SourceConfig, part: str, root: str) -> str:
        """The commit a repository stands at, or why there is none; no process is started."""
        state = _look(_repo(source, part), root, source.until)[1]
        return f"{state.word} {state.revision}"

    def grows(self, source: SourceConfig) -> bool:
        """With `until` the set of commits is closed; without, each commit adds one."""
        return source.until is None

    def read(
        self,
        source: SourceConfig,
        part: str,
        root: str,
        *,
        token: str | None,
        since: str | None,
        env: Mapping[str, str],
    ) -> Fed:
        """All commits, or what came and went between two states."""
        from memidx.sources import git_log  # a search without news reads no commit

        repository, state = _look(_repo(source, part), root, source.until)
        if repository is None or state.word == "refused":
            raise SourceFailed(state.revision, in_token=True)
        if token is not None:
            # The state that is recorded, even if there is a newer one by now.
            state = State(*token.split(" ", 1))
        if state.word == "empty":
            return Fed(iter(()), whole=True)
        if state.word == "refused":
            raise SourceFailed(state.revision, in_token=True)
        revision = state.revision.split(" ", 1)[0]
        before = since.partition(" ")[2] if since and since.startswith("at ") else None
        if before and state.word == "at":
            changes = git_log.changes(repository, part, source.name, before, revision, env)
            if changes is not None:
                return Fed(iter(changes), whole=False)
        return Fed(git_log.commits(repository, part, source.name, revision, env), whole=True)

    def pick(
        self,
        source: SourceConfig,
        part: str,
        root: str,
        *,
        anchors: Collection[str],
        env: Mapping[str, str],
    ) -> Fed:
        """These commits; all of them where they are many."""
        from memidx.sources import git_log  # see `read`

        if len(anchors) > git_log.MOST_NAMED:
            return self.read(source, part, root, token=None, since=None, env=env)
        repository, state = _look(_repo(source, part), root, source.until)
        if repository is None:
            raise SourceFailed(state.revision, in_token=True)
        return Fed(git_log.named(repository, part, source.name, anchors, env), whole=False)

    def is_at_home(
        self,
        source: SourceConfig,
        root: str,
        doc_ids: Collection[str],
        env: Mapping[str, str],
    ) -> bool:
        """Whether one of the repositories below root knows one of these commits."""
        from memidx.sources import git_log  # see `read`

        for repo in source.repos:
            prefix = f"{_PREFIX}{repo.name}#"
            names = [doc_id[len(prefix) :] for doc_id in doc_ids if doc_id.startswith(prefix)]
            repository = _look(repo, root, None)[0] if names else None
            if repository is not None and git_log.knows_any(repository, names, env):
                return True
        return False


KIND: FeedKind = _Git()


def _repo(source: SourceConfig, part: str) -> Repo:
    return next(repo for repo in source.repos if _PREFIX + repo.name == part)


def _look(repo: Repo, root: str, until: str | None) -> tuple[Repository | None, State]:
    """A repository, if it is there, and the state it is in."""
    folder = os.path.normpath(os.path.join(root, repo.path))
    try:
        if not is_within(files.realpath(folder), files.realpath(root)):
            return None, State("refused", "leads out of root: only what lies below root is read")
        # Root may be a folder of a repository. Anything else has to be one itself: the folder of a
        # submodule that was not checked out must not pass for the repository around it.
        repository = find_repository(folder, upward=repo.path == ".")
    except FileError as error:
        return None, State("refused", error.what)
    if repository is None:
        reason = "is not a git repository" if files.is_dir(folder) else "is not there"
        return None, State("refused", reason)
    return repository, state_of(repository, until)
