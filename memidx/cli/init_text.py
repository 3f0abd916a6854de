"""What does setting up a repository say?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memidx.cli.answer_words import plural
from memidx.cli.build_text import first_few
from memidx.cli.terminal import printable

if TYPE_CHECKING:
    from memidx.setup.project import SetupReport

_MOST_GLOBS = 4


def init_text(report: SetupReport) -> str:
    """What was found, what was written and left, and what to do next."""
    if not report.written:
        return _contents(report)
    lines = [_source(source) for source in report.sources]
    lines += [
        f"{step.action}: {printable(step.path)}" + (f" ({printable(step.why)})" if step.why else "")
        for step in report.steps
    ]
    if report.n_docs is not None:
        lines.append(f"{plural(report.n_docs, 'document')} in files, at {printable(report.root)}.")
        lines.append("Next: memidx build, then memidx eval queries.yaml")
    return "\n".join(lines)


def init_notes(report: SetupReport) -> str:
    """What could not be used or done, for stderr; with `--print` also what would be left."""
    lines = [f"Note: {printable(note)}" for note in report.notes]
    if not report.written:
        lines += [
            f"{step.action}: {printable(step.path)}" for step in report.steps if not step.content
        ]
    return "\n".join(first_few(lines))


def _contents(report: SetupReport) -> str:
    """Each file as it would be, below its name."""
    parts = [
        f"--- {printable(step.path)} ({step.action})\n{step.content.decode('utf-8', 'replace')}"
        for step in report.steps
        if step.content is not None
    ]
    return "\n".join(parts) or "Nothing would be written."


def _source(source: Any) -> str:
    globs = source["include"]
    more = f" and {len(globs) - _MOST_GLOBS} more" if len(globs) > _MOST_GLOBS else ""
    where = ", ".join(globs[:_MOST_GLOBS]) + more
    noun = "commit" if source["kind"] == "git" else "file"
    return printable(
        f"{source['role']}: {source['name']} ({source['kind']}, weight {source['weight']}), "
        f"{plural(source['n_files'], noun)} {where}"
    )
