"""What was a run made of, and where in git is that?

A run is a corpus, a configuration, an analyzer and labels. Each is read as it was committed, so
that a run can be made again with some of them from then and the others from now. The code is
today's in every such run.
"""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from memidx.analysis import get_analyzer
from memidx.analysis.aliases import parse_aliases
from memidx.analysis.base import Analyzer
from memidx.config import (
    CONFIG_FILES,
    DEFAULT_SOURCE,
    Config,
    SourceConfig,
    source_from_dict,
)
from memidx.config.parsing import parse_config
from memidx.documents import Document
from memidx.errors import ConfigError, MemidxError, StoreCorrupt, StoreMissing, SuiteError
from memidx.evals.revisions import Commit, Revisions
from memidx.evals.suite import Suite, parse_suite
from memidx.frozen import settings_of
from memidx.search.ranking import RankSettings
from memidx.store import MANIFEST_NAME
from memidx.store.line import DamagedLine, check_line, decode_line, line_doc_id, line_sum
from memidx.store.manifest import Manifest, parse_manifest
from memidx.store.reader import index_build_id
from memidx.text.decode import Undecodable, decode

# How far back a corpus is looked for by its fingerprint; each state is read whole.
_MOST_STATES = 30
# Corpora that are kept in memory: those of the two sides.
_MOST_KEPT = 2


class Places(NamedTuple):
    """Where in the repository a run's parts are: store, folder of the configuration, suite."""

    store: str
    home: str
    suite: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents of one state; `build_id` names them."""

    build_id: str
    documents: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """What one run is made of.

    Attributes:
        name: What a person calls it: a short commit, or `now`.
        strategy: As asked for; None takes the configured one.
        analysis: The analyzer's options, as JSON values.
    """

    name: str
    corpus: Corpus
    settings: RankSettings
    strategy: str | None
    analyzer: Analyzer
    analysis: Mapping[str, Any]
    suite: Suite


class Past:
    """Reads the parts of a run as they were committed.

    Args:
        revisions: The repository.
        places: Where the parts are.
        env: For settings that the environment overrides, in every run alike.
    """

    def __init__(self, revisions: Revisions, places: Places, env: Mapping[str, str]) -> None:
        self.revisions = revisions
        self.places = places
        self._env = env
        self._corpora: dict[tuple[tuple[str, str], ...], Corpus] = {}

    def corpus(self, commit: Commit) -> Corpus:
        """The documents of the store as it was committed.

        Raises:
            StoreError: There was no store, or it cannot be read.
        """
        names = self.revisions.names(commit.sha, self.places.store)
        key = tuple(sorted(names.items()))
        if key not in self._corpora:
            while len(self._corpora) >= _MOST_KEPT:
                self._corpora.pop(next(iter(self._corpora)))
            self._corpora[key] = self._read_corpus(commit, names)
        return self._corpora[key]

    def side(self, commit: Commit, strategy: str | None = None) -> Side:
        """Everything as it was committed.

        Raises:
            MemidxError: A part was not there, or cannot be read.
        """
        settings, analyzer, analysis = self.setup(commit)
        return Side(
            name=commit.short,
            corpus=self.corpus(commit),
            settings=settings,
            strategy=strategy,
            analyzer=analyzer,
            analysis=analysis,
            suite=self.suite(commit),
        )

    def setup(self, commit: Commit) -> tuple[RankSettings, Analyzer, Mapping[str, Any]]:
        """Settings, and analyzer with its options.

        Raises:
            ConfigError: They cannot be used.
        """
        home = self.places.home
        contents = {
            name: data
            for name in CONFIG_FILES
            if (data := self.revisions.read(commit.sha, _joined(home, name))) is not None
        }
        config = parse_config(contents, f"{commit.short}:{home}", env=self._env)
        aliases = None
        if config.analysis.aliases is not None:
            path = _joined(home, config.analysis.aliases)
            data = self.revisions.read(commit.sha, path)
            if data is None:
                raise ConfigError("the alias file was not committed", path=path)
            try:
                aliases = parse_aliases(decode(data), path)
            except Undecodable as error:
                raise ConfigError(f"the alias file cannot be read: {error}", path=path) from error
        analyzer = get_analyzer(config.analysis.analyzer, aliases=aliases)
        analysis = analysis_options(config, aliases)
        sources = config.sources or self._stored_sources(commit) or (DEFAULT_SOURCE,)
        return settings_of(config, sources), analyzer, analysis

    def suite(self, commit: Commit) -> Suite:
        """The suite.

        Raises:
            SuiteError: It is none.
            StoreMissing: It was not committed.
        """
        path = self.places.suite
        data = self.revisions.read(commit.sha, path)
        if data is None:
            raise StoreMissing("the suite was not committed", path=f"{commit.short}:{path}")
        try:
            return parse_suite(decode(data), path)
        except Undecodable as error:
            raise SuiteError(f"not a text file: {error}", path=path) from error

    def find_corpus(self, fingerprint: str, first: Iterable[Commit]) -> Commit | None:
        """The commit whose store holds the documents of that fingerprint.

        Args:
            fingerprint: `corpus_fingerprint` of a run.
            first: Commits to look at first, then those that touched the store, newest first.
        """
        candidates = [*first, *self.revisions.touching([self.places.store], limit=_MOST_STATES)]
        for commit in candidates:
            try:
                names = self.revisions.names(commit.sha, self.places.store)
                sums = [(doc_id, line_sum(line)) for doc_id, line in self._lines(commit, names)]
                if index_build_id(sums) == fingerprint:
                    return commit
            except MemidxError:
                continue  # a store that cannot be read is not the one that was searched
        return None

    def _stored_sources(self, commit: Commit) -> tuple[SourceConfig, ...]:
        try:
            manifest = self._manifest(commit, self.revisions.names(commit.sha, self.places.store))
        except MemidxError:
            return ()
        return tuple(source_from_dict(definition) for definition in manifest.sources)

    def _manifest(self, commit: Commit, names: Mapping[str, str]) -> Manifest:
        where = f"{commit.short}:{_joined(self.places.store, MANIFEST_NAME)}"
        if MANIFEST_NAME not in names:
            raise StoreMissing("there was no store", path=where)
        return parse_manifest(self.revisions.blob(names[MANIFEST_NAME]), where)

    def _read_corpus(self, commit: Commit, names: Mapping[str, str]) -> Corpus:
        documents: dict[str, Document] = {}
        sums: list[tuple[str, str]] = []
        for doc_id, line in self._lines(commit, names):
            if doc_id in documents:
                # A merge that kept both; neither can be trusted, as in a store on disk.
                raise StoreCorrupt("the document is there twice", path=f"{commit.short}:{doc_id}")
            try:
                documents[doc_id] = decode_line(line)
            except DamagedLine as error:
                raise StoreCorrupt(error.reason, path=f"{commit.short}:{doc_id}") from error
            sums.append((doc_id, line_sum(line)))
        return Corpus(index_build_id(sums), tuple(documents[name] for name in sorted(documents)))

    def _lines(self, commit: Commit, names: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
        """Every line of the store as it was committed, each checked, with its `doc_id`."""
        for shard in self._manifest(commit, names).shards:
            where = f"{commit.short}:{_joined(self.places.store, shard)}"
            if shard not in names:
                raise StoreCorrupt("the shard is missing", path=where)
            # Only LF ends a line; the last one ends with it too.
            lines = self.revisions.blob(names[shard]).split(b"\n")
            for number, body in enumerate(lines if lines[-1] else lines[:-1], 1):
                line = body + b"\n"
                try:
                    check_line(line)
                    doc_id = line_doc_id(line)
                except DamagedLine as error:
                    raise StoreCorrupt(error.reason, path=where, line=number) from error
                yield doc_id, line


def _joined(folder: str, name: str) -> str:
    return os.path.normpath(os.path.join(folder, name)).replace(os.sep, "/")


def analysis_options(
    config: Config, aliases: Mapping[str, tuple[str, ...]] | None
) -> dict[str, Any]:
    """Options of the analyzer as JSON values; aliases by what they say, not by their file."""
    options: dict[str, Any] = asdict(config.analysis)
    if aliases is not None:
        options["aliases"] = {words: list(terms) for words, terms in aliases.items()}
    return options
