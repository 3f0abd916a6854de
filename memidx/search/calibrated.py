"""Which fitted thresholds may label the hits of this snapshot?

`memidx calibrate --apply` writes them to a file. They are figures about one corpus under one
analyzer and one way of scoring; where any of these is another now, the published thresholds label
again, and the answer says why. Loaded only where there is such a file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memidx.config import SearchConfig
from memidx.search.ranking import RankSettings
from memidx.snapshot.snapshot import Snapshot
from memidx.values import Value, replace

CALIBRATION_TYPE = "memidx-calibration"
CALIBRATION_SCHEMA = "memidx.calibration/1"
# Settings that the relevance of a strategy depends on.
FITTED_ON: Mapping[str, tuple[str, ...]] = {
    "lexical": ("k1", "b", "title_weight"),
    "vector": (),
    "hybrid": ("k1", "b", "title_weight", "lexical_weight", "vector_weight", "fusion"),
}
# Above every relevance: a label that nothing was promised for is not given.
_NEVER = 2.0
_AGAIN = "`memidx calibrate SUITE --apply` fits them again"

Thresholds = tuple[float, float]


class Fitted(Value):
    """Thresholds on the relevance of one strategy.

    Attributes:
        reliable: None where it is out of reach: no hit is reliable.
        candidate: At or above it a hit is a candidate.
        fitted_on: `corpus`, `n_docs`, `analyzer_fingerprint`, and the settings of `FITTED_ON`.
    """

    reliable: float | None
    candidate: float
    fitted_on: Mapping[str, Any]


class Calibration(Value):
    """What a calibration file says; `reason` is why it cannot be used, where it cannot."""

    by_strategy: Mapping[str, Fitted]
    reason: str = ""


class InForce(Value):
    """Thresholds that label, and for each strategy whose thresholds do not, why."""

    thresholds: Mapping[str, Thresholds]
    notes: Mapping[str, str]


def parse_calibration(data: bytes) -> Calibration:
    """A calibration from the bytes of its file; damage is said, and raises nothing."""
    try:
        values = json.loads(data)
        if values.get("artifact_type") != CALIBRATION_TYPE:
            return Calibration({}, "it is not a calibration")
        if values.get("schema") != CALIBRATION_SCHEMA:
            return Calibration({}, f"it is written as {values.get('schema')}")
        found = {name: _fitted(values["strategies"][name]) for name in values["strategies"]}
        if not found.keys() <= FITTED_ON.keys():
            return Calibration({}, "it names a strategy that there is not")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Calibration({}, "it is damaged (a merge left it so?)")
    return Calibration(found)


def in_force(
    calibration: Calibration,
    search: SearchConfig,
    *,
    corpus: str,
    n_docs: int,
    fingerprint: str,
) -> InForce:
    """What of a calibration holds for a snapshot.

    Args:
        calibration: As read.
        search: Settings in force; `calibration_drift` is the share by which the number of
            documents may differ, and with 0 the corpus must be the very same.
        corpus: Build id of the snapshot.
        n_docs: Its documents.
        fingerprint: Of the analyzer.
    """
    if calibration.reason:
        note = f"labels are by published thresholds: {search.calibration}: {calibration.reason}"
        return InForce({}, dict.fromkeys(FITTED_ON, f"{note}; {_AGAIN}"))
    thresholds: dict[str, Thresholds] = {}
    notes: dict[str, str] = {}
    for strategy, fitted in calibration.by_strategy.items():
        reason = _difference(strategy, fitted, search, corpus, n_docs, fingerprint)
        if reason:
            notes[strategy] = f"labels are by published thresholds: {reason}; {_AGAIN}"
        else:
            reliable = _NEVER if fitted.reliable is None else fitted.reliable
            thresholds[strategy] = (reliable, fitted.candidate)
    return InForce(thresholds, notes)


def calibrated(
    calibration: Calibration, settings: RankSettings, snapshot: Snapshot
) -> tuple[RankSettings, Mapping[str, str]]:
    """Settings with the thresholds that hold for a snapshot, and the notes about the others."""
    held = in_force(
        calibration,
        settings.search,
        corpus=snapshot.build_id,
        n_docs=snapshot.n_docs,
        fingerprint=snapshot.facts["analyzer"],
    )
    return replace(settings, thresholds=held.thresholds), held.notes


def _difference(
    strategy: str,
    fitted: Fitted,
    search: SearchConfig,
    corpus: str,
    n_docs: int,
    fingerprint: str,
) -> str:
    """Why thresholds do not hold here; empty where they do."""
    then = fitted.fitted_on
    if then.get("analyzer_fingerprint") != fingerprint:
        return "the fitted ones belong to another analyzer"
    for key in FITTED_ON[strategy]:
        if then.get(key) != getattr(search, key):
            return f"the fitted ones belong to {key} {then.get(key)}, not {getattr(search, key)}"
    if then.get("corpus") != corpus:
        before = then.get("n_docs") or 0
        if search.calibration_drift == 0.0:
            return f"the documents changed since thresholds were fitted on {before:,}"
        if abs(n_docs - before) > search.calibration_drift * before:
            return f"thresholds were fitted on {before:,} documents, and there are {n_docs:,}"
    if search.min_score > fitted.candidate:
        return (
            f"min_score would hide hits that are at least candidate: "
            f"{fitted.candidate:g} < {search.min_score:g}"
        )
    return ""


def _fitted(entry: Mapping[str, Any]) -> Fitted:
    reliable, candidate = entry["reliable"], entry["candidate"]
    given = [candidate] if reliable is None else [candidate, reliable]
    if any(isinstance(v, bool) or not 0.0 <= v <= 1.0 for v in given) or given != sorted(given):
        raise ValueError("not thresholds on relevance")
    return Fitted(reliable, candidate, dict(entry["fitted_on"]))
