"""`memidx explain`: why is a document where it is in an answer, or not in it?"""

# No `from __future__ import annotations`: see memidx.cli.options.
from typing import Annotated, Literal

import typer

import memidx
from memidx.cli import exit_codes
from memidx.cli.options import ReportFormatOption, RootOption, StoresOption, StrategyOption
from memidx.cli.terminal import to_json, write_out


def explain_command(
    query: Annotated[
        str,
        typer.Argument(metavar="QUERY", help="The query, as one argument.", show_default=False),
    ],
    doc_id: Annotated[
        str,
        typer.Argument(
            metavar="DOC_ID", help="Id or path of the document it is about.", show_default=False
        ),
    ],
    k: Annotated[int, typer.Option("-k", min=1, metavar="N", help="Hits an answer shows.")] = 5,
    also: Annotated[
        list[str] | None,
        typer.Option("--also", metavar="TEXT", help="The same question in other words."),
    ] = None,
    strategy: StrategyOption = None,
    sources: Annotated[
        list[str] | None, typer.Option("--source", metavar="NAME", help="Only this source.")
    ] = None,
    kinds: Annotated[
        list[str] | None, typer.Option("--kind", metavar="KIND", help="Only this kind.")
    ] = None,
    tags: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Only with this tag.")
    ] = None,
    paths: Annotated[
        list[str] | None, typer.Option("--path", metavar="GLOB", help="Only these paths.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="WHEN", help="From this day on.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="WHEN", help="Up to and with this day.")
    ] = None,
    min_score: Annotated[
        float | None, typer.Option("--min-score", metavar="X", help="Least relevance, 0 to 1.")
    ] = None,
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="DATE", help="Day that ages count from.")
    ] = None,
    dedupe: Annotated[
        Literal["content", "title"] | None, typer.Option("--dedupe", help="As in a query.")
    ] = None,
    per_source: Annotated[
        int | None, typer.Option("--per-source", min=1, metavar="N", help="As in a query.")
    ] = None,
    per_path: Annotated[
        int | None, typer.Option("--per-path", min=1, metavar="N", help="As in a query.")
    ] = None,
    stores: StoresOption = None,
    root: RootOption = None,
    no_refresh: Annotated[
        bool, typer.Option("--no-refresh", help="Without a look at the sources.")
    ] = False,
    form: ReportFormatOption = "table",
) -> None:
    """Say where a document stands in an answer, and why.

    Ends with 0 when the answer shows it, with 1 when it does not.
    """
    with memidx.open(stores, root=root) as index:
        explanation = index.explain(
            query,
            doc_id,
            k,
            refresh=not no_refresh,
            as_of=as_of,
            also=tuple(also or ()),
            strategy=strategy,
            sources=tuple(sources or ()),
            kinds=tuple(kinds or ()),
            tags=tuple(tags or ()),
            path_globs=tuple(paths or ()),
            since=since,
            until=until,
            min_score=min_score,
            dedupe=dedupe,
            per_source=per_source,
            per_path=per_path,
        )
    if form == "json":
        write_out(to_json(explanation.to_dict()))
    else:
        from memidx.cli.explain_text import explain_text

        write_out(explain_text(explanation))
    raise typer.Exit(exit_codes.for_explanation(explanation))
