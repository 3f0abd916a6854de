"""Which functions and classes does a Python file define, and what do they use?

The standard parser reads the file; nothing of it is imported, compiled or run. A definition is
top-level wherever the module's own code binds it, so also inside an `if TYPE_CHECKING` or a `try`.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from memidx.sources.code_pieces import (
    NotTakenApart,
    Piece,
    TakenApart,
    is_header,
    left_over,
    with_comment_above,
)

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
_USES = (ast.Name, ast.Call, *_IMPORTS)
_LONGEST_CHAIN = 20
_SENTENCE_END = re.compile(r"(?<=[.!?]) ")


class _Imported(NamedTuple):
    """What a name of the module stands for in full, and the module it comes from."""

    full: str
    module: str


class _Span(NamedTuple):
    """One definition, or the overloads of one and it, and their 0-based lines up to `end`."""

    nodes: tuple[_Definition, ...]
    begin: int
    end: int


def take_apart(text: str) -> TakenApart:
    """The pieces of a Python file.

    Raises:
        NotTakenApart: It does not parse, or is nested out of all reason.
    """
    module = _parsed(text)
    lines = text.split("\n")
    definitions: list[_Definition] = []
    others: list[ast.stmt] = []
    _divide(module, definitions, others)
    spans = _spans(lines, definitions)
    bound = dict(_bindings(others))
    pieces = [_piece(lines, span, bound) for span in spans]
    script = _script(module, lines, spans, others, bound)
    return TakenApart((script, *pieces) if script else tuple(pieces))


def _parsed(text: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            # What Python finds odd in a stranger's string is nothing for this program's user.
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        what = " ".join(str(error.msg).split())[:100]
        raise NotTakenApart(f"is not Python: {what}", error.lineno) from error
    except (RecursionError, MemoryError) as error:
        raise NotTakenApart("is nested too deep", None) from error
    except ValueError as error:  # half a surrogate pair, and the like
        raise NotTakenApart("is not Python: it holds what no source can", None) from error


def _divide(module: ast.Module, definitions: list[_Definition], others: list[ast.stmt]) -> None:
    """The definitions that the module binds, and its other statements, without recursion.

    A statement that holds a definition is taken apart: its own parts are among the others.
    """
    todo: list[ast.stmt] = module.body[::-1]
    while todo:
        node = todo.pop()
        if isinstance(node, _DEFINITIONS):
            definitions.append(node)
            continue
        others.append(node)
        todo += reversed(list(_bodies(node)))


def _bodies(node: ast.stmt) -> Iterator[ast.stmt]:
    """The statements directly inside a compound statement of the module."""
    for name in ("body", "handlers", "cases", "orelse", "finalbody"):
        for inner in getattr(node, name, ()):
            if isinstance(inner, ast.stmt):
                yield inner
            elif isinstance(inner, ast.ExceptHandler | ast.match_case):
                yield from inner.body


def _spans(lines: Sequence[str], definitions: Sequence[_Definition]) -> list[_Span]:
    spans: list[_Span] = []
    for node in definitions:
        first = min([node.lineno, *(part.lineno for part in node.decorator_list)]) - 1
        taken = spans[-1].end if spans else 0
        begin, end = with_comment_above(lines, first, taken), node.end_lineno or node.lineno
        before = spans[-1] if spans else None
        if before and before.nodes[-1].name == node.name and _is_overload(before.nodes[-1]):
            spans[-1] = _Span((*before.nodes, node), before.begin, end)
        else:
            spans.append(_Span((node,), begin, end))
    return spans


def _is_overload(node: _Definition) -> bool:
    names = (_dotted(part) for part in node.decorator_list)
    return any(name and name.rpartition(".")[2] == "overload" for name in names)


def _piece(lines: Sequence[str], span: _Span, bound: Mapping[str, _Imported]) -> Piece:
    node = span.nodes[-1]
    imports, calls = _uses(span.nodes, bound)
    return Piece(
        name=node.name,
        sort="class" if isinstance(node, ast.ClassDef) else "function",
        text="\n".join(lines[span.begin : span.end]),
        line=span.begin + 1,
        summary=_summary(node),
        imports=imports,
        calls=calls,
    )


def _script(
    module: ast.Module,
    lines: Sequence[str],
    spans: Sequence[_Span],
    others: Sequence[ast.stmt],
    bound: Mapping[str, _Imported],
) -> Piece | None:
    """What the module does itself; None when that is to import, and nothing is said of it."""
    taken = {number for span in spans for number in range(span.begin, span.end)}
    text, line = left_over(lines, taken)
    imported = {
        number
        for node in others
        if isinstance(node, _IMPORTS)
        for number in range(node.lineno - 1, node.end_lineno or node.lineno)
    }
    says = any(
        number not in taken and number not in imported and line.strip() and not is_header(line)
        for number, line in enumerate(lines)
    )
    if spans and not says:
        return None
    if not text:
        return None
    simple = [node for node in others if not any(_bodies(node))]
    imports, calls = _uses([*simple, *_headers(others)], bound)
    return Piece(None, "script", text, line, _summary(module), imports, calls)


def _headers(others: Sequence[ast.stmt]) -> Iterator[ast.expr]:
    """The expressions of compound statements themselves: conditions, iterables, contexts."""
    for node in others:
        if any(_bodies(node)):
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    yield child
                elif isinstance(child, ast.withitem):
                    yield child.context_expr


def _summary(node: _Definition | ast.Module) -> str:
    """The first sentence of the docstring."""
    docstring = (ast.get_docstring(node) or "").strip()
    return _SENTENCE_END.split(" ".join(docstring.partition("\n\n")[0].split()), 1)[0]


# What a piece uses


def _uses(
    nodes: Sequence[ast.AST], bound: Mapping[str, _Imported]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Modules and calls of some nodes, in the order of the file.

    Args:
        bound: Name in the module -> what an import binds to it.
    """
    every = _walk(nodes)
    own = {**bound, **dict(_bindings(node for node in every if isinstance(node, _IMPORTS)))}
    modules: dict[str, tuple[int, int]] = {}
    calls: dict[str, tuple[int, int]] = {}
    for node in every:
        place = (node.lineno, node.col_offset)
        if isinstance(node, ast.Name):
            if node.id in bound:
                _note(modules, bound[node.id].module, place)
        elif isinstance(node, ast.Call) and (name := _dotted(node.func)):
            head, dot, rest = name.partition(".")
            full = own[head].full if head in own else head
            _note(calls, f"{full}{dot}{rest}", place)
        elif isinstance(node, _IMPORTS):
            for _, imported in _bound_by(node):
                _note(modules, imported.module, place)
    return tuple(sorted(modules, key=modules.__getitem__)), tuple(
        sorted(calls, key=calls.__getitem__)
    )


def _walk(nodes: Sequence[ast.AST]) -> list[ast.Name | ast.Call | ast.Import | ast.ImportFrom]:
    """The names, calls and imports of some nodes; `ast.walk` takes three times as long."""
    found: list[ast.Name | ast.Call | ast.Import | ast.ImportFrom] = []
    todo: list[ast.AST] = [*nodes]
    while todo:
        node = todo.pop()
        if isinstance(node, _USES):
            found.append(node)
            if isinstance(node, ast.Name):
                continue
        for name in node._fields:
            value = getattr(node, name, None)
            if value.__class__ is list:
                todo += [inner for inner in value if isinstance(inner, ast.AST)]
            elif isinstance(value, ast.AST):
                todo.append(value)
    return found


def _note(seen: dict[str, tuple[int, int]], name: str, place: tuple[int, int]) -> None:
    """Keep the first place of a name: a tree is not walked in the order of the file."""
    seen[name] = min(place, seen.get(name, place))


def _bindings(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, _Imported]]:
    for node in nodes:
        yield from _bound_by(node)


def _bound_by(node: ast.AST) -> Iterator[tuple[str, _Imported]]:
    """Names that an import binds, and what they stand for; `*` binds no name that is known."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            yield name, _Imported(alias.name if alias.asname else name, alias.name)
    elif isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            full = f"{module}{alias.name}" if module.endswith(".") else f"{module}.{alias.name}"
            # `from . import x` imports the module `.x`.
            imported = _Imported(full, module if node.module else full)
            yield alias.asname or alias.name, imported


def _dotted(node: ast.expr) -> str | None:
    """`a.b.c` of names and attributes; what hangs on something else begins with its first name."""
    parts: list[str] = []
    at: ast.expr = node.func if isinstance(node, ast.Call) else node
    while isinstance(at, ast.Attribute) and len(parts) < _LONGEST_CHAIN:
        parts.append(at.attr)
        at = at.value
    if isinstance(at, ast.Name):
        parts.append(at.id)
    return ".".join(reversed(parts)) or None
