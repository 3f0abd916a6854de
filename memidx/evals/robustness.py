"""Does a choice outlive other queries, and other documents beside the right ones?

The queries are drawn again with replacement, and every draw makes its own choice [ET93]. The
corpus is made anew with some of the unrelated documents left out, and with as many strangers put
in: texts of paragraphs of unrelated documents, shuffled, which have the corpus's words and are
about nothing. A document is unrelated when no label is about it.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from memidx.documents import Document
from memidx.evals.choosing import mean_of

BOOTSTRAP_DRAWS = 2000
# Of the unrelated documents that go, and of strangers for each of them that stays.
SHARE = 0.2
_CHUNK = 500
_PARAGRAPHS = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class Stability:
    """What draws of the queries would have chosen.

    Attributes:
        n_draws: How many.
        ahead: Share of draws in which the best point is ahead of the current one, 0..1.
        winners: Points by the share of draws in which each is best, the largest first.
    """

    n_draws: int
    ahead: float
    winners: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Perturbed:
    """The points on a corpus with fewer or more documents.

    Attributes:
        change: `fewer` or `more`.
        n_docs: Documents of that corpus.
        gain: The best point against the current one there, as chosen on the true corpus.
        winner: The point that is best there, of those that were looked at.
    """

    change: str
    n_docs: int
    gain: float
    winner: int


def bootstrap_choice(
    values: Sequence[Sequence[float]], *, current: int, best: int, seed: int
) -> Stability:
    """Draw the queries again, and choose on each draw.

    Args:
        values: `[point][query]` of the measure, with at least one query.
        current: Number of the current point; it wins where it is among equal ones.
        best: Number of the point whose lead is asked for.
        seed: Of the draws.
    """
    import numpy as np

    matrix = np.array(values, dtype=np.float64).T
    n_queries, n_points = matrix.shape
    stream = np.random.RandomState(seed)
    wins = np.zeros(n_points, dtype=np.int64)
    n_ahead = 0
    # Of equal points the current one is first, then the best, then the others in their order.
    order = list(dict.fromkeys([current, best, *range(n_points)]))
    for begin in range(0, BOOTSTRAP_DRAWS, _CHUNK):
        n = min(_CHUNK, BOOTSTRAP_DRAWS - begin)
        drawn = stream.randint(0, n_queries, size=(n, n_queries))
        counts = np.apply_along_axis(np.bincount, 1, drawn, minlength=n_queries)
        means = np.round((counts @ matrix) / n_queries, 9)
        wins += np.bincount(np.array(order)[means[:, order].argmax(axis=1)], minlength=n_points)
        n_ahead += int((means[:, best] > means[:, current]).sum())
    ranked = sorted(range(n_points), key=lambda point: (-int(wins[point]), point))
    return Stability(
        BOOTSTRAP_DRAWS,
        n_ahead / BOOTSTRAP_DRAWS,
        tuple((point, int(wins[point]) / BOOTSTRAP_DRAWS) for point in ranked if wins[point]),
    )


def with_fewer(
    documents: Sequence[Document], judged: Collection[str], *, seed: int
) -> list[Document]:
    """The documents without a share of the unrelated ones, which hashes of their ids choose."""
    gone = {d.doc_id for d in _chosen(documents, judged, seed)}
    return [document for document in documents if document.doc_id not in gone]


def with_more(
    documents: Sequence[Document], judged: Collection[str], *, seed: int
) -> list[Document]:
    """The documents, and strangers made of paragraphs of the unrelated ones."""
    models = _chosen(documents, judged, seed)
    unrelated = [d for d in documents if d.doc_id not in judged]
    paragraphs = [p for d in unrelated for p in _PARAGRAPHS.split(d.text) if p.strip()]
    stream = random.Random(seed)
    taken = {document.doc_id for document in documents}
    made = [*documents]
    for n, model in enumerate(models):
        doc_id = f"unrelated/{n}.md"
        while doc_id in taken:
            doc_id = f"unrelated/{doc_id}"
        text = "\n\n".join(_shuffled(model, paragraphs, stream))
        path = doc_id if model.path else ""
        made.append(replace(model, doc_id=doc_id, path=path, text=text))
    return made


def perturb(
    documents: Sequence[Document],
    judged: Collection[str],
    measure_points: Callable[[Sequence[Document]], Sequence[Sequence[float]]],
    *,
    looked_at: Sequence[int],
    current: int,
    best: int,
    n_times: int,
    seed: int,
) -> tuple[Perturbed, ...]:
    """The points on corpora with fewer and with more documents, so many times each.

    Args:
        documents: All of them.
        judged: `doc_id`s that a label is about.
        measure_points: Gives `[point][query]` of `looked_at` over other documents.
        looked_at: Numbers of points, the current and the best one among them.
        current: Number of the current point.
        best: Number of the best one.
        n_times: How many corpora of each kind.
        seed: Of the first; each further one has the next.
    """
    found = []
    for n in range(n_times):
        for change, make in (("fewer", with_fewer), ("more", with_more)):
            other = make(documents, judged, seed=seed + n)
            if len(other) == len(documents):
                continue  # every document is judged: there is nothing unrelated
            values = measure_points(other)
            means = {point: mean_of(row) for point, row in zip(looked_at, values, strict=True)}
            winner = min(means, key=lambda p: (-means[p], p != current, p != best, p))
            gain = round(means[best] - means[current], 12)
            found.append(Perturbed(change, len(other), gain, winner))
    return tuple(found)


def _chosen(
    documents: Sequence[Document], judged: Collection[str], seed: int
) -> Sequence[Document]:
    """A share of the unrelated documents, at least one where there is any."""
    unrelated = [document for document in documents if document.doc_id not in judged]
    n = max(1, int(SHARE * len(unrelated) + 0.5))
    return sorted(unrelated, key=lambda document: _digest(document.doc_id, seed))[:n]


def _shuffled(model: Document, paragraphs: Sequence[str], stream: random.Random) -> list[str]:
    """As much text as the model has, from anywhere."""
    text: list[str] = []
    length = 0
    while paragraphs and (not text or length < len(model.text)):
        # `random()` is the one generator of the module whose stream is promised not to change.
        text.append(paragraphs[int(stream.random() * len(paragraphs))])
        length += len(text[-1]) + 2
    return text


def _digest(doc_id: str, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}\0{doc_id}".encode("utf-8", "replace")).digest()
