"""Operations and programs in the index, from the file to the answer."""

from __future__ import annotations

from pathlib import Path

import memidx
from tests.support import write_tree

CONFIG = """
[[sources]]
name = "api"
kind = "openapi"

[[sources]]
name = "tools"
kind = "code"
include = ["bin/*", "src/**"]

[[sources]]
name = "docs"
"""
API = """\
openapi: 3.0.0
info: {title: Zoo}
paths:
  /animals/{id}:
    get: {summary: Read an animal, operationId: readAnimal, deprecated: true}
    put: 3
"""
FILES = {
    "memidx.toml": CONFIG,
    "services/zoo.openapi.yaml": API,
    "other.yaml": "a: 1\n",
    "bin/run": "#!/bin/sh\nmkdir x\nsay() {\n  zebra --now\n}\n",
    "bin/LICENSE": "A zebra.\n",
    "bin/page.md": "# Page\n",
    "src/a.py": "from subprocess import run\n\n\ndef start():\n    run(['x'])\n",
    "src/bad.py": "def f(:\n    giraffe\n",
    "extra.py": "def never(): zebra()\n",
}


def test_operations_and_functions_are_found(tmp_path: Path) -> None:
    """With their places in the files; other files are left alone, bad ones are named."""
    root = write_tree(tmp_path, FILES)
    report = memidx.build(root=str(root), env={})
    assert [(skip.path, skip.line) for skip in report.skips] == [
        ("services/zoo.openapi.yaml", 6),
        ("src/bad.py", 1),
    ]
    with memidx.open(str(root / "store"), env={}) as index:
        assert index.doc_ids() == [
            "bin/page.md",
            "bin/run",
            "bin/run#say",
            "services/zoo.openapi.yaml#GET /animals/{id}",
            "src/a.py#start",
            "src/bad.py",
        ]
        (hit,) = index.search("readAnimal").hits
        assert (hit.title, hit.flags) == ("Read an animal", ("deprecated",))
        assert (hit.anchor, hit.kind) == ("GET /animals/{id}", "openapi")
        assert (hit.line_start, hit.line_end) == (5, 5)
        assert index.search("/animals/{id}").hits[0].line_start == 5
        assert index.search("animals", exclude_invalidated=True).verdict == "hits"
        (hit,) = index.search("zebra").hits
        assert (hit.doc_id, hit.line_start, hit.line_end) == ("bin/run#say", 3, 5)
        hit = index.search("subprocess.run").hits[0]
        assert (hit.doc_id, hit.line_end) == ("src/a.py#start", 5)
        assert index.search("giraffe").hits[0].path == "src/bad.py"
        write_tree(root, {"bin/run": FILES["bin/run"].replace("mkdir", "\n\nmkdir")})
        (hit,) = index.search("zebra").hits
        assert (hit.doc_id, hit.line_start) == ("bin/run#say", 5)


def test_a_build_is_the_same_however_it_comes_about(tmp_path: Path) -> None:
    """Edits and builds end in the bytes of a clean build."""
    root = write_tree(tmp_path / "one", FILES)
    memidx.build(root=str(root), env={})
    changed = {
        "src/a.py": "def start(): ...\nclass start: ...\n",
        "services/zoo.openapi.yaml": API.replace("put: 3", "put: {summary: Write}"),
    }
    write_tree(root, changed)
    memidx.build(root=str(root), env={})
    other = write_tree(tmp_path / "two", {**FILES, **changed})
    memidx.build(root=str(other), env={})
    name = "store/docs.jsonl"
    assert (root / name).read_bytes() == (other / name).read_bytes()
    assert b'"doc_id":"src/a.py#start-2"' in (root / name).read_bytes()


def test_secrets_of_programs_and_descriptions_are_not_stored(tmp_path: Path) -> None:
    """Redaction is the same for every kind: text, title, meta and anchors."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    files = {
        "memidx.toml": CONFIG,
        "openapi.yaml": f"openapi: 3.0.0\npaths:\n  /a/{token}:\n    get: {{summary: {token}}}\n",
        "src/a.py": f'def f():\n    """Uses {token}."""\n    open("/home/alice/x")\n',
    }
    root = write_tree(tmp_path, files)
    report = memidx.build(root=str(root), env={})
    assert report.n_docs == 2
    stored = b"".join(path.read_bytes() for path in (root / "store").iterdir() if path.is_file())
    assert token.encode() not in stored
    assert b"alice" not in stored


def test_a_script_shows_only_lines_that_are_known(tmp_path: Path) -> None:
    """Before the first function lines are exact, behind it the beginning of the file is named."""
    text = "import x\n\nLIMIT = 'walrus'\n\n\ndef f():\n    pass\n\n\nOTHER = 'beluga'\n"
    root = write_tree(tmp_path, {"memidx.toml": CONFIG, "src/a.py": text})
    memidx.build(root=str(root), env={})
    with memidx.open(str(root / "store"), env={}) as index:
        assert index.search("walrus").hits[0].line_start == 3
        (hit,) = index.search("beluga").hits
        assert (hit.doc_id, hit.line_start, hit.line_end) == ("src/a.py", 1, 1)


def test_superseded_notes_are_flagged_and_left_out_on_request(tmp_path: Path) -> None:
    """Across an edit too: the newer note says it, or does not say it any more."""
    newer = "---\ndate: 2026-02-01\nsupersedes: 0001-old.md\n---\n# New\n\nThe lock waits.\n"
    root = write_tree(
        tmp_path,
        {
            "adr/0001-old.md": "---\ndate: 2026-01-01\n---\n# Old\n\nThe lock fails, the lock.\n",
            "adr/0002-new.md": newer,
        },
    )
    memidx.build(root=str(root), env={})
    with memidx.open(str(root / "store"), env={}) as index:
        flags = {hit.path: hit.flags for hit in index.search("lock").hits}
        assert flags == {"adr/0001-old.md": ("superseded",), "adr/0002-new.md": ()}
        (hit,) = index.search("lock", exclude_invalidated=True).hits
        assert hit.path == "adr/0002-new.md"
        assert index.search("fails", exclude_invalidated=True).verdict == "filtered_out"
        write_tree(root, {"adr/0002-new.md": newer.replace("supersedes", "see")})
        answer = index.search("fails", exclude_invalidated=True)
        assert [hit.flags for hit in answer.hits] == [()]
        write_tree(root, {"adr/0001-old.md": "# Old\n\nStatus: superseded\n\nIt fails.\n"})
        assert index.search("fails").hits[0].flags == ("superseded",)
