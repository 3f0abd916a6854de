"""How are the roles of a repository written down?

A commented `memidx.toml`: each role with the sources that were found, or an example of one in
comments. Pure: what was detected gives text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from memidx.setup.detect import Detected, Found, folder_glob, knows_kind
from memidx.setup.roles import ROLES, Role

CONFIG_NAME = "memidx.toml"
# What commits can be called after, without a second thought.
_NAME = re.compile(r"\w[\w.-]{0,63}")
_HEAD = """\
# What is memory in this repository, and what it weighs.
# `memidx init` wrote this once; it is yours from here on and is never written over.
# In pyproject.toml the same stands under [tool.memidx], and each source under
# [[tool.memidx.sources]]; where both files are there, this one counts.
project_name = {name}

# A file belongs to the first source that takes it, so the special stand before the general.
# Globs are relative to this folder, in the syntax of .gitignore: /docs/** is all below docs.
# What .gitignore names is not left out; .memidxignore, in the same syntax, is what leaves out.
# weight multiplies the relevance of a source's hits; it reorders, and never hides.
# decay is how fast dated documents grow old, per day: 0.012 halves them in about 58 days of
# their part above the floor; undated ones of such a source get the floor (decay_floor, 0.3).
"""


def configuration_text(project_name: str, detected: Detected) -> str:
    """The text of `memidx.toml`."""
    lines = [_HEAD.format(name=_toml(project_name))]
    for role in ROLES:
        found = [source for source in detected.found if source.role == role]
        lines += _role(role, found, detected, project_name)
    return "\n".join(lines)


def _role(
    role: Role, found: Iterable[Found], detected: Detected, project_name: str
) -> Iterator[str]:
    yield f"# {role.name} (weight {role.weight}): {role.what}."
    here = list(found)
    if not here:
        yield "# Not found here. It would look like this:"
        later = _kind_of(role)
        if later is not None:
            yield f"# (sources of kind {later!r} need a later version of memidx)"
        yield "# [[sources]]"
        yield from (f"# {line}" for line in role.example)
        yield from (f"# {line}" for line in _weights(role, decays=False))
        yield ""
    for source in here:
        yield "[[sources]]"
        yield f"name = {_toml(source.name)}"
        if source.kind != "markdown":
            yield f"kind = {_toml(source.kind)}"
        if source.kind == "git":
            named = f'{{name = {_toml(project_name)}, path = "."}}'
            yield f"repos = [{named if _NAME.fullmatch(project_name) else _toml('.')}]"
            yield '# until = "v1.0"  # a tag or a commit: the set is closed then, and never behind'
        else:
            yield from _globs("include", source.include)
        if source.name == "docs":
            yield from _excluded(detected)
        yield from _weights(role, decays=source.decays)
        yield ""


def _excluded(detected: Detected) -> Iterator[str]:
    left_out = [folder_glob(folder) for folder in detected.left_out]
    aside = [folder_glob(folder) for folder in detected.aside]
    if left_out:
        n_texts = sum(detected.left_out.values())
        yield f"# {n_texts} texts of tests, of others and of tools are no memory of this project."
        yield from _globs("exclude", left_out)
    if aside:
        n_texts = sum(detected.aside.values())
        yield f"# {n_texts} texts of examples and templates are in it; without them:"
        yield from (f"# {line}" for line in _globs("exclude", [*left_out, *aside]))


def _weights(role: Role, *, decays: bool) -> Iterator[str]:
    yield f"weight = {role.weight}"
    if decays:
        yield "# decay = 0.012"


def _globs(key: str, globs: Sequence[str]) -> Iterator[str]:
    line = f"{key} = [{', '.join(_toml(glob) for glob in globs)}]"
    if len(line) <= 96:
        yield line
        return
    yield f"{key} = ["
    yield from (f"    {_toml(glob)}," for glob in globs)
    yield "]"


def _kind_of(role: Role) -> str | None:
    """The kind of a role's example, where this version does not know it."""
    for line in role.example:
        key, _, value = line.partition(" = ")
        if key == "kind" and not knows_kind(json.loads(value)):
            return str(json.loads(value))
    return None


def _toml(text: str) -> str:
    """A TOML string: JSON's escapes are TOML's, but for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
