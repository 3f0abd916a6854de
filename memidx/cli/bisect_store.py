"""How is the history of a store searched from the command line?"""

from __future__ import annotations

import os

from memidx.cli.terminal import to_json, write_out
from memidx.errors import InputError
from memidx.evals.bisecting import Prober, bisect
from memidx.evals.bisection import render_bisection
from memidx.evals.past import Past, Places
from memidx.evals.revisions import Commit, Revisions
from memidx.frozen import settings_of
from memidx.opening import analyzer_for, open_store


def bisect_store(
    query: str,
    expect: str,
    *,
    k: int,
    good: str | None,
    bad: str,
    every: bool,
    strategy: str | None,
    store: str | None,
    root: str | None,
    form: str,
) -> int:
    """Search the commits that touched the store, show what came of it, and give the exit code."""
    if not query.strip():
        raise InputError("nothing is asked", expected="QUERY", hint="memidx bisect --help")
    opened = open_store(store, root, os.environ)
    place = opened.workspace.store
    revisions = Revisions(os.path.dirname(place), os.environ)
    name = revisions.relative(place)
    last = revisions.commit(bad)
    commits = revisions.touching([name], until=last.sha)[::-1]
    if not commits:
        raise InputError(
            "the store was never committed, so it has no history",
            path=place,
            hint="commit the store folder beside its sources",
        )
    past = Past(revisions, Places(name, name, name), os.environ)
    settings = settings_of(opened.config, opened.workspace.sources)
    prober = Prober(past, analyzer_for(opened), settings, query, expect, strategy)
    first = None if good is None else _position(revisions, name, commits, good)
    if first is not None:
        _check_good(prober, commits[first], str(good), k)
    found = bisect(prober, commits, k=k, good=first, every=every)
    write_out(to_json(found.to_dict()) if form == "json" else render_bisection(found))
    return found.exit_code


def _position(revisions: Revisions, store: str, commits: list[Commit], revision: str) -> int:
    """Position of the commit that wrote the store as a revision has it."""
    sha = revisions.commit(revision).sha
    touched = revisions.touching([store], until=sha, limit=1)
    found = [at for at, commit in enumerate(commits) if touched and commit.sha == touched[0].sha]
    if not found:
        raise InputError(
            "is not before the bad revision, or holds no store",
            found=revision,
            hint="give a revision that --bad descends from",
        )
    return found[0]


def _check_good(prober: Prober, commit: Commit, revision: str, k: int) -> None:
    probe = prober.probe(commit)
    if probe.problem:
        raise InputError(f"cannot be searched: {probe.problem}", found=revision)
    if probe.rank is None or probe.rank > k:
        where = "not found" if probe.rank is None else f"rank {probe.rank}"
        raise InputError(
            f"--good does not find it: {where} (expected in the first {k})",
            found=revision,
            hint="leave --good out to have one looked for",
        )
