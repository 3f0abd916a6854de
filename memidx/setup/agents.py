"""What does an agent have to be told?

A block for the files in which agents look for instructions. It is short, because every agent reads
it in every session, and it never makes the work wait for the index. Its words are about asking
alone: these files are documents too, and an example about locks would be found by whoever asks
about locks.
"""

from __future__ import annotations

AGENT_FILES = (
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    ".github/copilot-instructions.md",
    ".cursorrules",
    ".windsurfrules",
)
DEFAULT_AGENT_FILE = AGENT_FILES[0]


def agent_block(*, has_also: bool) -> str:
    """The block's text.

    Args:
        has_also: Whether `memidx query` takes `--also`, a second wording in the same search.
    """
    again = (
        "rephrase once, both wordings in one call:\n"
        '  `memidx query "words of the question" --also "other words for it" --format md`.'
        if has_also
        else "rephrase once, with other words for the same thing."
    )
    return f"""\
## Ask the project's memory first

Before you search files for how, why or whether something was done, ask the index:

```sh
memidx query "words of the question" --format md      # for reading
memidx query "words of the question" --format json    # for a program
```

- `reliable`: use it, and name its path and line.
- `candidate`: open the file at that line before you rely on it.
- `weak`, or nothing found (exit code 1): {again}
  Then search the file system: an empty answer says what was searched, not that nothing is there.
- Words that are in no document are named; even `reliable` is about the other words alone.
- Exit code 2 is a mistake in the call; exit code 3, or no `memidx` at all, means go on without it.

Never wait for the index, and never let it stop the work: searching files is always allowed.
A query sees edits at once; `memidx build` before a commit takes them into the committed store.
Do not edit `store/` by hand; after a conflict in it, merge the sources and run `memidx merge`.
"""
