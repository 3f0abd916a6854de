"""`memidx query`: what does the memory say about this?"""

# No `from __future__ import annotations`: see memidx.cli.options.
from typing import Annotated, Literal

import typer

import memidx
from memidx.cli import exit_codes
from memidx.cli.options import RootOption, StoresOption, StrategyOption
from memidx.cli.terminal import heard, tell, write_out

AnswerFormat = Literal["table", "json", "jsonl", "md", "files"]


def query_command(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXT...",
            help='What to find: words, "exact phrase", -without, title:word, source:name.',
            show_default=False,
        ),
    ],
    k: Annotated[int, typer.Option("-k", min=1, metavar="N", help="Hits to show.")] = 5,
    offset: Annotated[
        int, typer.Option("--offset", min=0, metavar="N", help="Hits to pass over first.")
    ] = 0,
    cursor: Annotated[
        str | None,
        typer.Option("--cursor", metavar="TEXT", help="Go on behind an answer, by its cursor."),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(
            "--also",
            metavar="TEXT",
            help="The same question in other words; repeat for more.",
        ),
    ] = None,
    strategy: StrategyOption = None,
    sources: Annotated[
        list[str] | None,
        typer.Option("--source", metavar="NAME", help="Only this source; repeat for more."),
    ] = None,
    kinds: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="KIND", help="Only sources of this kind; repeat for more."),
    ] = None,
    tags: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="TAG", help="Only documents with this tag; repeat for more."),
    ] = None,
    paths: Annotated[
        list[str] | None,
        typer.Option("--path", metavar="GLOB", help="Only these paths; repeat for more."),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="WHEN", help="From this day on: 2026-11-30, or 30d."),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option("--until", metavar="WHEN", help="Up to and with this day: 2026-11-30, or 7d."),
    ] = None,
    min_score: Annotated[
        float | None,
        typer.Option("--min-score", metavar="X", help="Least relevance of a hit, 0 to 1."),
    ] = None,
    as_of: Annotated[
        str | None,
        typer.Option("--as-of", metavar="DATE", help="Day that ages are counted from."),
    ] = None,
    dedupe: Annotated[
        Literal["content", "title"] | None,
        typer.Option("--dedupe", help="Show one of several hits that share this."),
    ] = None,
    exclude_invalidated: Annotated[
        bool,
        typer.Option("--exclude-invalidated", help="Leave out what is superseded or invalidated."),
    ] = False,
    per_source: Annotated[
        int | None,
        typer.Option("--per-source", min=1, metavar="N", help="Hits of one source at most."),
    ] = None,
    per_path: Annotated[
        int | None,
        typer.Option("--per-path", min=1, metavar="N", help="Hits of one file at most."),
    ] = None,
    stores: StoresOption = None,
    root: RootOption = None,
    no_refresh: Annotated[
        bool,
        typer.Option("--no-refresh", help="Answer at once, without a look at the sources."),
    ] = False,
    form: Annotated[AnswerFormat, typer.Option("--format", help="Form of the answer.")] = "table",
    max_bytes: Annotated[
        int | None,
        typer.Option(
            "--max-bytes",
            min=0,
            metavar="N",
            help="Pack the best passages into so many bytes; 0 for no bound. "
            "Default: 8192 as md, else 32768.",
        ),
    ] = None,
) -> None:
    """Search the memory.

    Several words find documents with any of them, the best first.
    Files that changed since the last look are taken in before the answer.
    """
    if cursor is not None and offset:
        raise typer.BadParameter("give --offset or --cursor, not both", param_hint="--cursor")
    with memidx.open(stores, root=root) as index:
        answer = index.search(
            heard(" ".join(words)),
            k,
            offset=offset,
            cursor=cursor,
            also=tuple(map(heard, also or ())),
            strategy=strategy,
            refresh=not no_refresh,
            as_of=as_of,
            sources=tuple(sources or ()),
            kinds=tuple(kinds or ()),
            tags=tuple(tags or ()),
            path_globs=tuple(paths or ()),
            since=since,
            until=until,
            min_score=min_score,
            dedupe=dedupe,
            exclude_invalidated=exclude_invalidated,
            per_source=per_source,
            per_path=per_path,
        )
    from memidx.cli.answer_format import render_answer

    rendered = render_answer(answer, form, max_bytes=max_bytes)
    write_out(rendered.result)
    if rendered.aside:
        tell(rendered.aside)
    if index.logs_queries:
        from memidx.cli.noting import note_query  # most projects log nothing

        filters = {
            "source": sources,
            "kind": kinds,
            "tag": tags,
            "path": paths,
            "since": since,
            "until": until,
            "min_score": min_score,
            "exclude_invalidated": exclude_invalidated,
            "also": also,
            "per_source": per_source,
            "per_path": per_path,
            "offset": offset,
            "cursor": cursor,
        }
        note_query(index, answer, filters)
    raise typer.Exit(exit_codes.for_answer(answer))
