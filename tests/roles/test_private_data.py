"""Every shape of private data, in every place a source has: in no byte that memidx writes or says.

Each place gets private data of its own, so that a leak names the place it came from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

import memidx
from memidx.errors import ConfigError
from tests.git_support import Git
from tests.roles.conftest import Run
from tests.support import write_tree

# Shape -> what it looks like with a mark of its own in it; the mark is what must not be seen.
SHAPES: Mapping[str, Callable[[str], str]] = {
    "home": lambda m: f"/home/{m}/work/plan.md",
    "home-with-space": lambda m: f"/Users/{m} Quimby/work/plan.md",
    "home-with-spaces": lambda m: f'"/Users/{m} Van Quimby/work"',
    "second-name": lambda m: f"/Users/Ann {m}/work/plan.md",
    "second-name-quoted": lambda m: f'"/home/Ann {m}"',
    "second-name-windows": lambda m: f"C:\\Users\\Ann {m}\\work",
    "second-name-url": lambda m: f"file:///home/Ann%20{m}/work",
    "mount": lambda m: f"/mnt/c/Users/{m}/work",
    "windows": lambda m: f"C:\\Users\\{m}\\work",
    "windows-with-space": lambda m: f"C:\\Users\\{m} Quimby\\work",
    "windows-twice": lambda m: f"C:\\\\Users\\\\{m}\\\\work",
    "windows-slashes": lambda m: f"C:/Users/{m}/work",
    "unc": lambda m: f"\\\\wsl$\\Ubuntu\\home\\{m}\\work",
    "file-url": lambda m: f"file:///home/{m}/work",
    "file-url-windows": lambda m: f"file:///C:/Users/{m}%20Quimby/work",
    "root": lambda m: f"/root/.ssh/id_ed25519 and /root/../home/{m}/.ssh",
    "escaped": lambda m: f"\\/home\\/{m}\\/work",
    "forge-token": lambda m: f"ghp_{m}{'a1B2c3D4e5' * 3}",
    "cloud-key": lambda m: f"AKIA{m.upper()}EXAMPLEKEY"[:20],
    "google-key": lambda m: f"AIza{m}A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
    "model-key": lambda m: f"sk-proj-{m}a1B2c3D4e5F6g7H8i9J0",
    "chat-token": lambda m: f"xoxb-123456789012-{m}a1B2c3D4e5F6",
    "private-key": lambda m: (
        "-----BEGIN RSA PRIVATE " + f"KEY-----\nMIIEowIBAAKCAQEA{m}1234567890abcdefghijklmnop\n"
        "-----END RSA PRIVATE " + "KEY-----"
    ),
    "url-password": lambda m: f"postgres://quay:{m}Pa55@db.example/quay",
    "bearer": lambda m: f"Authorization: Bearer {m}A1b2C3d4E5f6",
    "assigned": lambda m: f"api_key = '{m}A1b2C3d4E5f6'",
    "password": lambda m: f"password: {m}&3Xy",
    "azure": lambda m: f"https://a.blob.core.windows.net/c?sp=r&sig={m}Zk8vQ2xTn5pY7uWq%2BhJ0%3D",
    "amazon": lambda m: f"https://b.s3.amazonaws.com/k?X-Amz-Signature={m}f77d5fa3beca038a248ff02",
    "query-token": lambda m: f"https://h.example/x?access_token={m}c3d4e5f6",
}
ON_ONE_LINE = [shape for shape in SHAPES if shape != "private-key"]
IN_A_NAME = ["forge-token", "cloud-key", "google-key", "model-key", "chat-token", "windows"]


class Marks:
    """Gives each place its own mark for each shape, and knows which is which."""

    def __init__(self) -> None:
        self.places: dict[str, str] = {}

    def all(self, place: str, shapes: list[str] | None = None) -> list[str]:
        """One text for each shape."""
        return [self.one(place, shape) for shape in shapes or SHAPES]

    def one(self, place: str, shape: str) -> str:
        """The text of one shape."""
        # Hexadecimal, so that it fits in every shape; seven letters and digits are no word.
        mark = f"d{len(self.places):03x}b5e"
        self.places[mark] = f"{shape} in {place}"
        return SHAPES[shape](mark)

    def seen_in(self, data: bytes) -> list[str]:
        """The places whose private data show in these bytes."""
        found = re.findall(rb"d[0-9a-f]{3}b5e", data.lower())
        seen = {self.places.get(mark.decode(), "") for mark in found} - {""}
        return sorted(seen | ({"root's home"} if b"/root/" in data else set()))


SOURCES = """
project_name = {project}
[[sources]]
name = "docs"
include = ["docs/**"]
[[sources]]
name = "changes"
kind = "changelog"
include = ["CHANGELOG.md"]
[[sources]]
name = "notes"
kind = "records"
include = ["notes/**"]
[[sources]]
name = "api"
kind = "openapi"
[[sources]]
name = "tools"
kind = "code"
include = ["tools/*"]
[[sources]]
name = "commits"
kind = "git"
repos = [{{name = "quay", path = "."}}]
"""


def files_of(marks: Marks) -> Iterator[tuple[str, str | bytes]]:
    """Files that hold private data in every place their kind has."""
    for n, text in enumerate(marks.all("text")):
        body = f"A lantern at {text} shines.\n\n```\n{text}\n```\n"
        yield f"docs/text{n}.md", f"# Lantern {n}\n\n{body}"
    for n, text in enumerate(marks.all("title", ON_ONE_LINE)):
        yield f"docs/title{n}.md", f"# Lantern {text}\n\nA lantern.\n"
    # Nothing else to show: what is left for a snippet is the title or the text itself.
    for n, text in enumerate(marks.all("last-resort snippet")):
        yield f"docs/only{n}.md", text
        yield f"docs/bare{n}.md", f"# {text.splitlines()[0]}\n"
    front = {
        "title": marks.all("front matter title", ON_ONE_LINE),
        "tags": marks.all("front matter tags", ON_ONE_LINE),
        "owner": marks.all("front matter value", ON_ONE_LINE),
    }
    for n, (title, tag, owner) in enumerate(zip(*front.values(), strict=True)):
        block = f"title: {json.dumps(title)}\ntags: [{json.dumps(tag)}]\nowner: {json.dumps(owner)}"
        yield f"docs/front{n}.md", f"---\n{block}\n{json.dumps(owner)}: key\n---\nA lantern.\n"
        yield f"docs/broken{n}.md", f"---\n{block}\n  : [\n---\nA lantern.\n"
    heads = marks.all("changelog heading", ON_ONE_LINE)
    sections = (f"## [1.{n}.0] - 2026-01-01 {h}\n\n- A lantern {h}\n" for n, h in enumerate(heads))
    yield "CHANGELOG.md", "# Changelog\n\n" + "\n".join(sections)
    yield from record_files(marks)
    yield from programs(marks)
    yield "api/openapi.json", json.dumps(description(marks))


def record_files(marks: Marks) -> Iterator[tuple[str, str]]:
    """Records with private data in each field, and bad ones."""
    lines = [
        json.dumps(
            {
                "id": marks.one("record id", shape),
                "title": f"Lantern {marks.one('record title', shape)}",
                "text": f"A lantern {marks.one('record text', shape)}.",
                "tags": [marks.one("record tags", shape)],
                "owner": marks.one("record field", shape),
                marks.one("record key", shape): 1,
                "nested": {"deep": [marks.one("record nested", shape)]},
                "time": marks.one("record time", shape),
            }
        )
        for shape in SHAPES
    ]
    bare = [json.dumps({"a": text, "b": [text]}) for text in marks.all("record without text")]
    bad = [f'{{"text": "{text}' for text in marks.all("bad record", ON_ONE_LINE)]
    yield "notes/all.jsonl", "\n".join([*lines, *bare, *bad, ""])
    named = "\n".join(f"- id: lantern{n}\n  api_key: {json.dumps(text)}\n  text: A lantern." for
                      n, text in enumerate(marks.all("value of a telling name")))  # fmt: skip
    yield "notes/named.yaml", named
    yield "notes/bad.yaml", "- text: [" + " ".join(marks.all("bad YAML", ON_ONE_LINE))
    rows = ["id,text", *(f'r{n},"{t}"' for n, t in enumerate(marks.all("CSV", ["home", "azure"])))]
    yield "notes/table.csv", "\n".join([*rows, ""])


def programs(marks: Marks) -> Iterator[tuple[str, str]]:
    """Programs with private data in comments, texts and names; one cannot be read."""
    for n, shape in enumerate(SHAPES):
        comment = marks.one("comment", shape).replace("\n", "\n    # ")
        literal = marks.one("string literal", shape)
        docstring = marks.one("docstring", shape).replace("\\", "\\\\")
        default = marks.one("default of a parameter", shape)
        yield (
            f"tools/t{n}.py",
            f'"""A lantern: {docstring}"""\n\nPLACE = {literal!r}\n\n\n'
            f"def lantern{n}(a={default!r}):\n    # {comment}\n    return open({literal!r})\n",
        )
        yield f"tools/bad{n}.py", f"def lantern(:\n    {comment}\n"
        shell = marks.one("shell", shape).replace("\n", " ")
        yield f"tools/s{n}.sh", f"# {shell}\nlantern{n}() {{\n  run '{shell}' # {shell}\n}}\n"


def description(marks: Marks) -> dict[str, object]:
    """An OpenAPI description with private data in each place."""
    paths = {}
    for n, shape in enumerate(SHAPES):
        field = {"type": "string", "example": marks.one("schema example", shape),
                 "default": marks.one("schema default", shape),
                 "enum": [marks.one("schema enum", shape)]}  # fmt: skip
        paths[f"/lanterns/{n}"] = {
            "description": marks.one("path description", shape),
            "post": {
                "summary": f"Lantern {marks.one('summary', shape)}",
                "description": marks.one("operation description", shape),
                "operationId": marks.one("operation id", shape),
                "tags": [marks.one("operation tag", shape)],
                "servers": [{"url": marks.one("operation server", shape)}],
                "externalDocs": {"url": marks.one("external docs", shape)},
                "parameters": [{"name": "at", "in": "query", "schema": field,
                                "example": marks.one("parameter example", shape)}],
                "requestBody": {"content": {"application/json": {
                    "schema": {"type": "object", "properties": {"secret_token": field}},
                    "example": {"place": marks.one("body example", shape)}}}},
                "responses": {"200": {"description": marks.one("response", shape)}},
                "x-note": marks.one("extension", shape),
            },
        }  # fmt: skip
    servers = [{"url": text} for text in marks.all("server URL", ON_ONE_LINE)]
    title = f"Lanterns {marks.one('API title', 'home')}"
    return {"openapi": "3.0.3", "info": {"title": title}, "servers": servers, "paths": paths}


def make_project(root: Path, marks: Marks) -> None:
    """The repository: its commits, its files, and files whose very names are private."""
    repo = Git(root)
    for n, shape in enumerate(SHAPES):
        author = marks.one("author", shape).replace("\n", " ").replace('"', "")
        mail = f"{marks.one('author mail', 'forge-token')}@example.org"
        trailer = f"Co-authored-by: B <{marks.one('trailer', 'forge-token')}@example.org>"
        body = marks.one("commit message", shape)
        message = f"Lantern {n} {marks.one('commit subject', shape)}\n\n{body}\n\n{trailer}"
        changed = {f"changed/{marks.one('changed file', name)}": "x\n" for name in IN_A_NAME[:1]}
        write_tree(root, changed)
        repo("add", "-f", "--", *changed)
        repo("commit", "-q", "-m", message, "--author", f"{author[:60]} <{mail}>", **repo.clock())
    project = marks.one("project name", "home")
    write_tree(root, {"memidx.toml": SOURCES.format(project=json.dumps(project))})
    write_tree(root, dict(files_of(marks)))
    for n, shape in enumerate(IN_A_NAME):
        name = marks.one("file name", shape)
        write_tree(root, {f"docs/{name}.md": "A lantern.\n", f"docs/{name}.csv": "x\n"})
        folder = marks.one("folder name", shape)
        write_tree(root, {f"docs/{folder}/lantern{n}.md": "A lantern.\n"})
        write_tree(root, {f"docs/{marks.one('undecodable file', shape)}.md": b"\xff\x00"})
        (root / f"docs/{marks.one('dangling link', shape)}.md").symlink_to("nowhere")
        (root / f"docs/{marks.one('link out of root', shape)}.md").symlink_to("/etc/hostname")
        ignores = f"docs/{marks.one('ignore file', shape)}/.memidxignore"
        write_tree(root, {ignores: b"\xff\x00"})


SUITE = """
version: 1
as_of: 2026-11-30
queries:
- {id: one, query: lantern, category: keyword, k: 50, expect_paths: ["docs/text0.md"]}
- {id: two, query: work plan, category: keyword, k: 50, expect_paths: ["docs/text0.md"]}
- {id: gone, query: lighthouse, category: keyword, expect_paths: ["docs/gone.md"]}
"""


def test_private_data_are_in_no_byte(run: Run, tmp_path: Path) -> None:
    """Store, cache, snapshot, report, export, and all that the commands say."""
    marks = Marks()
    root, store, reports = tmp_path / "p", tmp_path / "p/store", tmp_path / "reports"
    make_project(root, marks)
    write_tree(tmp_path, {"suite.yaml": SUITE})
    assert len(set(marks.places.values())) > 900
    said: dict[str, bytes] = {}

    def say(*arguments: object) -> int:
        result = run(*arguments)
        said[" ".join(map(str, arguments))] = result.stdout_bytes + result.stderr_bytes
        return result.exit_code

    assert say("build", "--root", root) == 0
    assert say("build", "--root", root, "--full") == 0
    assert say("build", "--root", root, "--check") == 0
    for words in ("lantern", "work", "quay", "id_ed25519", "-----BEGIN", "path secret", "plan.md"):
        for form in ("table", "json", "jsonl", "md", "files"):
            say("query", words, "--store", store, "-k", 400, "--max-bytes", 0, "--format", form)
    assert say("query", "lantern", "--store", store) == 0
    assert say("status", "--store", store) == 0
    say("verify", "--store", store)
    say("verify", "--store", store, "--format", "json")
    for form in ("table", "json"):
        say("eval", tmp_path / "suite.yaml", "--store", store, "--report-dir", reports,
            "--format", form)  # fmt: skip
    assert say("export", tmp_path / "export.json", "--store", store) == 0
    (root / "docs/text0.md").write_text("# Lantern\n\nA lantern, edited.\n", encoding="utf-8")
    assert say("query", "lantern", "--store", store) == 0
    leaks = {name: marks.seen_in(data) for name, data in said.items()}
    written = [*store.rglob("*"), *reports.rglob("*"), tmp_path / "export.json"]
    n_files = 0
    for path in written:
        if path.is_file():
            n_files += 1
            leaks[path.relative_to(tmp_path).as_posix()] = marks.seen_in(path.read_bytes())
    assert n_files >= 7
    leaking = {name: places for name, places in leaks.items() if places}
    assert leaking == {}, json.dumps(leaking, indent=1)
    # Not for want of documents: of every kind there are some, and their other words are found.
    with memidx.open(str(store), env={}) as index:
        held = index.status()["n_by_source"]
        assert set(held) == {"docs", "changes", "notes", "api", "tools", "commits"}
        assert held["api"] == held["commits"] == len(SHAPES)
        assert index.search("work plan").n_matched > 20


@pytest.mark.parametrize("shape", ["forge-token", "cloud-key", "google-key", "model-key"])
def test_a_name_in_the_configuration_that_is_a_secret_is_refused(
    run: Run, tmp_path: Path, shape: str
) -> None:
    """A source's and a repository's name stand in every document: it is not taken, nor repeated."""
    for place, line in (("source", 'name = "{}"'), ("repo", 'name="c"\nkind="git"\nrepos=["{}"]')):
        marks = Marks()
        secret = marks.one(place, shape)
        root = write_tree(tmp_path / place, {"a.md": "A lantern.\n"})
        write_tree(root, {"memidx.toml": "[[sources]]\n" + line.format(secret)})
        with pytest.raises(ConfigError):
            memidx.build(root=str(root), env={})
        result = run("build", "--root", root)
        assert result.exit_code == 2
        assert marks.seen_in(result.stdout_bytes + result.stderr_bytes) == []
        assert not (root / "store").exists()
