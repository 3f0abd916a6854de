"""What does a page look like?

Two palettes, of which the reader's system chooses one, and one style sheet. Text has a contrast of
at least 4.5 to 1 on everything it stands on, lines and marks 3 to 1 (WCAG 2.2, 1.4.3 and 1.4.11);
a test computes that.
"""

from __future__ import annotations

LIGHT = {
    "ground": "#ffffff",
    "panel": "#f4f6f8",
    "text": "#1b1f24",
    "quiet": "#4d5661",
    "line": "#d0d7de",
    "mark": "#75808c",
    "accent": "#0a58c2",
    "passed": "#14692f",
    "failed": "#b3142b",
    "open": "#805000",
}
DARK = {
    "ground": "#0f1419",
    "panel": "#182028",
    "text": "#e4eaf0",
    "quiet": "#a5b0bb",
    "line": "#37424d",
    "mark": "#75828f",
    "accent": "#76b3ff",
    "passed": "#5fd07f",
    "failed": "#ff8f86",
    "open": "#e6b84d",
}
# The strongest colour of a heat map's cell: text on it must still be read.
HEAT = 0.38

_RULES = """
*{box-sizing:border-box}
html{color-scheme:light dark;background:var(--ground)}
body{margin:0;color:var(--text);background:var(--ground);line-height:1.5;
font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;font-size:1rem}
main,header,footer{max-width:76rem;margin:0 auto;padding:0 1rem}
h1{font-size:1.6rem;line-height:1.25;margin:1.5rem 0 .75rem;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:2.25rem 0 .75rem;padding-top:.75rem;border-top:1px solid var(--line)}
h3{font-size:1rem;margin:0 0 .25rem;overflow-wrap:anywhere}
p,ul{margin:.25rem 0 .75rem}
ul{padding-left:1.25rem}
li,dd,figcaption{overflow-wrap:anywhere}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:.5rem;background:var(--ground);padding:.5rem}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;padding:0;font-size:.95rem}
.verdict{font-weight:600;padding:.75rem 1rem;border:1px solid;border-left-width:.5rem;
border-radius:.4rem;background:var(--panel);overflow-wrap:anywhere}
.passed{color:var(--passed)}.failed{color:var(--failed)}.open{color:var(--open)}
.quiet{color:var(--quiet)}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.2rem,1fr));gap:.75rem;
margin:1rem 0;padding:0}
.figures div{background:var(--panel);border-radius:.4rem;padding:.6rem .8rem}
.figures dt{color:var(--quiet);font-size:.85rem}
.figures dd{margin:0;font-size:1.3rem;font-weight:600;white-space:nowrap;
font-variant-numeric:tabular-nums}
.figures dd small{display:block;font-size:.8rem;font-weight:400;white-space:normal;
color:var(--quiet)}
.card{border:1px solid var(--line);border-left:.35rem solid;border-radius:.4rem;
padding:.75rem 1rem;margin:0 0 .75rem}
.card>*{color:var(--text)}
.card summary h3{display:inline}
.card[open] summary{margin-bottom:.4rem}
.state{font-weight:600;white-space:nowrap}
.card dl{display:grid;grid-template-columns:8rem minmax(0,1fr);gap:.15rem .75rem;margin:.4rem 0 0}
.card dt{color:var(--quiet)}.card dd{margin:0}
.state.passed{color:var(--passed)}.state.failed{color:var(--failed)}.state.open{color:var(--open)}
.scroll{overflow-x:auto;margin:.5rem 0 1rem}
table{border-collapse:collapse;font-size:.92rem;min-width:min(100%,30rem)}
caption{text-align:left;color:var(--quiet);padding-bottom:.25rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .75rem .35rem 0;
border-bottom:1px solid var(--line)}
thead th{border-bottom:2px solid var(--mark);white-space:nowrap}
tbody th{font-weight:600}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.words{min-width:11rem;overflow-wrap:break-word}
.long{overflow-wrap:anywhere}
.stacked{width:100%}
.stacked .words{min-width:0}
code{font-family:ui-monospace,"SFMono-Regular","DejaVu Sans Mono",monospace;font-size:.9em;
overflow-wrap:anywhere}
pre{background:var(--panel);padding:.75rem 1rem;overflow-x:auto;border-radius:.4rem}
figure{margin:0 0 1rem;max-width:34rem}
figure.wide{max-width:none}
.plots{display:grid;gap:1rem 2rem;
grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr))}
figcaption{color:var(--quiet);font-size:.92rem}
svg{display:block;width:100%;height:auto;font-size:11px;fill:var(--text);
font-family:inherit;font-variant-numeric:tabular-nums}
svg .quiet{fill:var(--quiet)}
svg .grid{stroke:var(--line);stroke-width:1;fill:none}
svg .axis{stroke:var(--mark);stroke-width:1;fill:none}
svg .curve{stroke:var(--accent);stroke-width:2;fill:none}
svg .band{fill:var(--accent);fill-opacity:.18}
svg .bar{stroke:var(--accent);stroke-width:2}
svg .dot{fill:var(--accent)}
svg .wanted{stroke:var(--open);stroke-width:1.5;stroke-dasharray:5 3;fill:none}
svg .heat{fill:var(--accent)}
svg .chosen{fill:none;stroke:var(--text);stroke-width:2}
svg .in-force{fill:none;stroke:var(--text);stroke-width:2;stroke-dasharray:3 2}
svg rect.passed{fill:var(--passed)}svg rect.failed{fill:var(--failed)}
svg rect.open{fill:var(--open)}
fieldset{border:0;padding:0;margin:0 0 .5rem;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}
legend{float:left;margin-right:1rem;color:var(--quiet)}
summary{cursor:pointer}
footer{color:var(--quiet);font-size:.9rem;margin:2rem auto}
main:has(#only-passed:checked) tr[data-state]:not([data-state=passed]),
main:has(#only-failed:checked) tr[data-state]:not([data-state=failed]),
main:has(#only-open:checked) tr[data-state]:not([data-state=open]){display:none}
@media (max-width:40rem){
h1{font-size:1.3rem}
.card dl{grid-template-columns:1fr;gap:0}
.card dd{margin-bottom:.4rem}
.figures{grid-template-columns:repeat(2,minmax(0,1fr))}
svg{font-size:12px}
.words{min-width:5rem}
table.stacked caption{display:block}
table.stacked thead{position:absolute;left:-99rem}
table.stacked,table.stacked tbody,table.stacked tr,table.stacked th,table.stacked td{display:block}
table.stacked tr{border-bottom:1px solid var(--mark);padding:.5rem 0}
table.stacked th,table.stacked td{border:0;padding:.1rem 0;text-align:left;white-space:normal}
table.stacked td::before{content:attr(data-head) ": ";color:var(--quiet)}
}
@media print{.skip,nav,fieldset{display:none}.scroll{overflow:visible}}
"""


def style_sheet() -> str:
    """The rules of a page, with both palettes."""
    dark = f"@media (prefers-color-scheme:dark){{{_palette(DARK)}}}"
    return f"{_palette(LIGHT)}\n{dark}{_RULES}"


def _palette(colours: dict[str, str]) -> str:
    return f":root{{{';'.join(f'--{name}:{value}' for name, value in colours.items())}}}"
