"""What does the index say of itself, and is its store sound?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from memidx.opening import Opened
from memidx.opening_builds import manifest_of
from memidx.results import CatalogRow, RefreshReport, VerifyReport
from memidx.search.answer import Problem, failed_sources, problems
from memidx.snapshot.look import look_at_sources, read_content, without_newest
from memidx.snapshot.publish import layout_differs
from memidx.snapshot.refresh import Ready
from memidx.snapshot.snapshot import Snapshot
from memidx.sources.base import Skip
from memidx.store import store_signature
from memidx.store.reader import source_fingerprint
from memidx.text.redact import redact

_MISPLACED = "its shards are not laid out as a build would lay them; `memidx build` does"
_SNAPSHOT_DAMAGED = "the snapshot is damaged: it was put away, and the next search derives it anew"


def status(opened: Opened, ready: Ready) -> dict[str, Any]:
    """Figures of the index: what it holds, where it is from, how fresh it is."""
    figures = _figures(opened, ready)
    if opened.is_published:
        from memidx.jsonindex.checks import published_figures  # only such an index needs it

        figures.update(published_figures(opened.workspace.store))
    return figures


def _figures(opened: Opened, ready: Ready) -> dict[str, Any]:
    snapshot, state, workspace = ready.snapshot, ready.state, opened.workspace
    shards = {
        name: signature.size
        for name, signature in store_signature(workspace.store).items()
        if name.endswith(".jsonl")
    }
    hashes = [(snapshot.doc_id(doc), snapshot.card(doc).source_hash) for doc in snapshot.docs()]
    return {
        "schema": "memidx.status/1",
        "store": workspace.store,
        "root": workspace.root,
        "configuration": opened.config.file,
        "project_name": redact(opened.config.project_name),
        "freshness": ready.freshness,
        "n_docs": snapshot.n_docs,
        "n_by_source": snapshot.n_docs_by_source,
        "n_behind": len(state.unlike),
        "n_skipped": len(ready.skips()),
        "damage": [f"{path}:{line}: {reason}" for path, line, reason in state.damage],
        "sources_failed": dict(state.failed),
        "n_shards": len(shards),
        "size_bytes": sum(shards.values()),
        "index_build_id": snapshot.facts["build_id"],
        "source_fingerprint": source_fingerprint(hashes),
        "analyzer": snapshot.facts["analyzer_name"],
        "analyzer_fingerprint": snapshot.facts["analyzer"],
        "n_terms": snapshot.n_terms,
        "avgdl": {
            field: round(mean, 3)
            for field, mean in zip(snapshot.fields, snapshot.avgdl, strict=True)
        },
        "cache": opened.cache.folder,
        "notes": list(ready.notes),
    }


def refresh_report(ready: Ready) -> RefreshReport:
    """What the comparison with the sources found."""
    return RefreshReport(
        freshness=ready.freshness,
        n_added=ready.n_added,
        n_changed=ready.n_changed,
        n_removed=ready.n_removed,
        n_read=ready.n_read,
        n_parsed=ready.n_parsed,
        n_analysed=ready.n_analysed,
        sources_failed=failed_sources(ready.failed()),
        skipped=problems(ready.skips()),
        notes=ready.notes,
    )


def catalog(snapshot: Snapshot) -> list[CatalogRow]:
    """Every document in order of `doc_id`, without its text."""
    rows = []
    for doc in snapshot.docs():
        card = snapshot.card(doc)
        rows.append(
            CatalogRow(
                doc_id=snapshot.doc_id(doc),
                source=snapshot.sources[snapshot.source_of[doc]],
                kind=snapshot.kinds[snapshot.kind_of[doc]],
                path=snapshot.path(doc),
                title=card.title,
                time=card.time,
            )
        )
    return rows


def verify(opened: Opened) -> VerifyReport:
    """Check every line, and compare with every source file by content, trusting no signature.

    Raises:
        StoreMissing: There is no store.
        StoreVersion: Another version wrote it.
    """
    workspace = opened.workspace
    if opened.is_published:
        return _verify_published(workspace.store, workspace.root)
    stored = read_content(workspace.store)
    damage = problems(Skip(found.path, found.reason, found.line) for found in stored.damage)
    n_lines = len(stored.lines) + sum(found.line is not None for found in stored.damage)
    damage += tuple(Problem(path, _SNAPSHOT_DAMAGED) for path in opened.cache.writer.drop_damaged())
    if workspace.root is None:
        if not stored.damage and layout_differs(workspace.store, stored.lines, stored.manifest, ()):
            damage += (Problem(workspace.store, _MISPLACED),)
        return VerifyReport(
            sound=not damage,
            damage=damage,
            behind=(),
            manifest_differs=False,
            sources_failed=(),
            skipped=(),
            unchecked=True,
            n_docs=len(stored.lines),
            n_lines=n_lines,
        )
    look = look_at_sources(workspace, workspace.root, stored.lines, (), None)
    look, pending = without_newest(look, workspace, workspace.root, stored.lines, (), None)
    plan = look.plan
    behind = {*plan.added, *plan.changed, *plan.removed}.difference(pending)
    wanted = replace(manifest_of(opened), shards=stored.manifest.shards)
    differs = wanted != stored.manifest
    misplaced = layout_differs(workspace.store, look.lines, stored.manifest, pending)
    if misplaced and not stored.damage:
        damage += (Problem(workspace.store, _MISPLACED),)
    return VerifyReport(
        sound=not (damage or behind or differs),
        damage=damage,
        behind=tuple(sorted(behind)),
        pending=pending,
        manifest_differs=differs,
        sources_failed=failed_sources(sorted(look.scan.failed.items()) if look.scan else ()),
        skipped=problems(look.scan.skips if look.scan else ()),
        unchecked=False,
        n_docs=len(stored.lines),
        n_lines=n_lines,
    )


def _verify_published(path: str, root: str | None) -> VerifyReport:
    """Check a published index against itself and, where root is known, against its sources."""
    from memidx.jsonindex.checks import check_published  # only such an index needs it

    checked = check_published(path, root)
    return VerifyReport(
        sound=not (checked.damage or checked.compared.changed),
        damage=problems(checked.damage),
        behind=tuple(sorted(skip.path for skip in checked.compared.changed)),
        manifest_differs=False,
        sources_failed=(),
        skipped=problems(checked.compared.changed),
        unchecked=root is None or checked.compared.freshness == "unchecked",
        n_docs=checked.n_docs,
        n_lines=checked.n_docs,
    )
