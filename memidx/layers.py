"""Which stores answer a query together?

The nearest store comes first (a run's own, then its ancestors', then the shared root's). Each is
kept in step with its own sources; statistics are global, and of two documents with one `doc_id` the
nearer masks the farther, also in the statistics. One analyzer, the nearest store's, serves all.
"""

from __future__ import annotations

import os.path
import sys

from memidx import files
from memidx.errors import InputError
from memidx.light import TYPE_CHECKING
from memidx.opening import Opened, analyzer_for, open_store, refresher_for
from memidx.search.labels import check_threshold
from memidx.search.ranking import RankSettings, SourceFactors
from memidx.snapshot.snapshot import Snapshot
from memidx.text import days_since_epoch
from memidx.values import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memidx.analysis.base import Analyzer
    from memidx.config import SourceConfig
    from memidx.search.calibrated import Calibration
    from memidx.snapshot.refresh import Ready, Refresher

# A process that asks one question ends before numpy would be loaded; one that asks more gains.
SEARCHES_WITHOUT_NUMPY = 3


class Layers:
    """Stores that are searched as one, the nearest first.

    Args:
        stores: Paths; None takes the configured one.
        root: Folder that documents' paths are relative to, of a single store.
        env: Environment for `MEMIDX_*` settings.
        analyzer: Name of the analyzer; None takes the one the nearest store's settings name.
        watch: Whether the system shall say in which folders of the sources something changed.

    Raises:
        StoreMissing: One of them is not there.
        InputError: Root or a configuration cannot be used, root is given for several stores, one
            of several is a published index, or nothing can be watched here.
    """

    def __init__(
        self,
        stores: Sequence[str | None],
        root: str | None,
        env: Mapping[str, str],
        analyzer: str | None,
        *,
        watch: bool = False,
    ) -> None:
        if len(stores) > 1 and root is not None:
            raise InputError(
                "root is given for several stores",
                found=root,
                hint="each store knows its own root; build it with --root once",
            )
        # What the last search ranked by; made anew on another day.
        self._settings: tuple[str, RankSettings] | None = None
        self._root_given = root
        self._env = env
        self._analyzer_given = analyzer
        self._is_watch_wanted = watch
        if watch:
            from memidx.files.events import check_events  # who asks once does not watch

            check_events()
        self._refreshers: list[Refresher] = []
        opened = [open_store(store, root, env) for store in stores]
        for one in opened[: len(opened) if len(stores) > 1 else 0]:
            if one.is_published:
                raise InputError(
                    "a published index cannot be one of several stores",
                    path=one.workspace.store,
                    hint="make a store of it with `memidx import`",
                )
        distinct = {one.workspace.store: one for one in opened}
        self._adopt(list(distinct.values()))
        for refresher in self._refreshers:
            refresher.require_store()
        self._masked: tuple[tuple[str, ...], Snapshot] | None = None
        self._n_searches = 0

    @property
    def nearest(self) -> Opened:
        """The store whose settings decide how is searched."""
        return self.opened[0]

    @property
    def stores(self) -> tuple[str, ...]:
        """Absolute paths, by their numbers."""
        return tuple(one.workspace.store for one in self.opened)

    @property
    def sources(self) -> list[SourceConfig]:
        """The sources of all stores."""
        return [source for one in self.opened for source in one.workspace.sources]

    def ready(self, *, refresh: bool, now_ns: int) -> Ready:
        """All stores as they are now; settings that changed are read anew first.

        Raises:
            StoreError: One of them cannot be read.
        """
        if refresh and self._sources_changed():
            # The configuration, or the store, decides what the sources are, and it changed.
            self._adopt([self._open_again(one) for one in self.opened])
        readies = [
            refresher.ready(refresh=refresh, now_ns=now_ns) for refresher in self._refreshers
        ]
        return readies[0] if len(readies) == 1 else self._together(readies)

    def factors(self) -> tuple[dict[str, SourceFactors], ...]:
        """Per store: what each of its sources does to the composite of its documents."""
        return tuple(
            {
                source.name: SourceFactors(source.weight, source.decay, source.decay_floor)
                for source in one.workspace.sources
            }
            for one in self.opened
        )

    def settings(self, day: str, snapshot: Callable[[], Snapshot]) -> RankSettings:
        """What turns matches into an order, with ages counted from `day`, and labels.

        The snapshot is asked for if it matters.
        """
        if self._settings is None or self._settings[0] != day:
            nearest, *farther = self.factors()
            search = self.nearest.config.search
            made = RankSettings(search, nearest, days_since_epoch(day), tuple(farther))
            self._settings = (day, made)
        return self.labels.in_force(self._settings[1], snapshot)

    def stay_open(self) -> bool:
        """Whether numpy pays by this search: loading it takes longer than a few without it."""
        self._n_searches += 1
        return self._n_searches > SEARCHES_WITHOUT_NUMPY or "numpy" in sys.modules

    def close(self) -> None:
        """Let go of the memory maps."""
        for refresher in self._refreshers:
            refresher.forget()
        self._masked = None

    def _open_again(self, one: Opened) -> Opened:
        """A store whose settings changed; where nothing says so any more, it has its root still."""
        again = open_store(one.workspace.store, self._root_given, self._env)
        root = one.workspace.root
        if again.workspace.root is None and root is not None and files.is_dir(root):
            return open_store(one.workspace.store, root, self._env)
        return again

    def _adopt(self, opened: list[Opened]) -> None:
        check_threshold(opened[0].config.search)
        self.opened: tuple[Opened, ...] = tuple(opened)
        self._settings = None
        self.labels = Labels(opened[0])
        self.analyzer: Analyzer = analyzer_for(opened[0], self._analyzer_given)
        for refresher in self._refreshers:
            refresher.forget()
        self._refreshers = [
            refresher_for(one, self.analyzer, watch=self._is_watch_wanted) for one in opened
        ]

    def _sources_changed(self) -> bool:
        """Whether settings are others by now, or a store was built from other sources."""
        if any(one.config_changed() for one in self.opened):
            return True
        manifests = [one.manifest_now() for one in self.opened]
        if manifests == [one.manifest for one in self.opened]:
            return False
        if any(one.sources_changed() for one in self.opened):
            return True
        pairs = zip(self.opened, manifests, strict=True)
        self.opened = tuple([replace(one, manifest=manifest) for one, manifest in pairs])
        return False

    def _together(self, readies: Sequence[Ready]) -> Ready:
        from memidx.snapshot.overlaid import lay_over, together  # most searches are in one store

        keys = tuple(ready.state.snapshot for ready in readies)
        if self._masked is None or self._masked[0] != keys:
            self._masked = (keys, lay_over([ready.snapshot for ready in readies]))
        return together(readies, self._masked[1])


class Labels:
    """Which thresholds label under an opened store's configuration.

    Fitted ones where the project has any and they hold for the snapshot in question.
    """

    def __init__(self, opened: Opened) -> None:
        self._notes: Mapping[str, str] = {}
        self._calibration: Calibration | None = None
        self.path = os.path.join(opened.home, opened.config.search.calibration)
        if files.is_file(self.path):
            from memidx.search.calibrated import parse_calibration  # only for who was calibrated

            self._calibration = parse_calibration(files.read_bytes(self.path))

    def in_force(self, settings: RankSettings, snapshot: Callable[[], Snapshot]) -> RankSettings:
        """Settings with the thresholds that hold; the snapshot is asked for where it matters."""
        if self._calibration is None:
            return settings
        from memidx.search.calibrated import calibrated  # only for who was calibrated

        settings, self._notes = calibrated(self._calibration, settings, snapshot())
        return settings

    def notes(self, strategy: str) -> tuple[str, ...]:
        """Why fitted thresholds do not label the hits of a strategy, where they do not."""
        return (self._notes[strategy],) if strategy in self._notes else ()
