"""tantivy with one thread and its English stemmer; the number of a document is a fast field."""

from __future__ import annotations

import os

import tantivy

from tests.benchmarks.engines import list_files, read_text, words


def build(root: str, target: str) -> None:
    """One commit of all files."""
    schema = (
        tantivy.SchemaBuilder()
        .add_text_field("path", stored=True, tokenizer_name="raw")
        .add_integer_field("number", fast=True)
        .add_text_field("text", stored=True, tokenizer_name="en_stem")
        .build()
    )
    writer = tantivy.Index(schema, path=target).writer(heap_size=256_000_000, num_threads=1)
    names = list_files(root)
    for number, name in enumerate(names):
        writer.add_document(tantivy.Document(path=name, number=number, text=read_text(root, name)))
    writer.commit()
    writer.wait_merging_threads()
    with open(os.path.join(target, "names"), "w", encoding="utf-8") as file:
        file.write("\n".join(names))


class Engine:
    """An open index; ids come from the numbers, without reading a stored document."""

    def __init__(self, target: str) -> None:
        self._index = tantivy.Index.open(target)
        self._searcher = self._index.searcher()
        self._target = target
        self._names: list[str] = []
        self._writer: tantivy.IndexWriter | None = None
        self.n_docs = self._searcher.num_docs

    def ids(self, query: str, k: int) -> list[str]:
        found = self._searcher.search(self._parsed(query), k, count=False)
        places = [place for _, place in found.hits]
        names = self._names or self._read_names()
        return [names[n] for n in self._searcher.fast_field_values("number", places)]

    def answer(self, query: str, k: int) -> list[tuple[str, str]]:
        parsed = self._parsed(query)
        make = tantivy.SnippetGenerator.create(self._searcher, parsed, self._index.schema, "text")
        make.set_max_num_chars(240)
        found = self._searcher.search(parsed, k, count=False)
        documents = [self._searcher.doc(place) for _, place in found.hits]
        return [(d.get_first("path"), make.snippet_from_doc(d).fragment()) for d in documents]

    def update(self, root: str, names: list[str]) -> None:
        """Take in documents that changed, so that the next query sees them."""
        if self._writer is None:
            self._writer = self._index.writer(heap_size=64_000_000, num_threads=1)
        for name in names:
            self._writer.delete_documents_by_term("path", name)
            number = (self._names or self._read_names()).index(name)
            self._writer.add_document(
                tantivy.Document(path=name, number=number, text=read_text(root, name))
            )
        self._writer.commit()
        self._index.reload()
        self._searcher = self._index.searcher()

    def close(self) -> None:
        self._writer = None

    def _parsed(self, query: str) -> tantivy.Query:
        return self._index.parse_query(" ".join(words(query.lower())), ["text"])

    def _read_names(self) -> list[str]:
        """By number; an answer takes them from the documents."""
        with open(os.path.join(self._target, "names"), encoding="utf-8") as file:
            self._names = file.read().split("\n")
        return self._names
