"""A small harbour's scheduling service: a repository whose memory has all eight roles.

The texts are made up; what a question must find was settled before it was asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.git_support import Git, git
from tests.support import write_tree

AS_OF = "2026-11-30"

# Role -> its table of the configuration, in the published weights.
SOURCES = {
    "decisions": 'include = ["/decisions/**"]\nweight = 1.4',
    "learnings": 'kind = "records"\ninclude = ["/memory/learnings.jsonl"]\nweight = 1.2',
    "api": 'kind = "openapi"\ninclude = ["/api/**"]\nweight = 1.1',
    "tools": 'kind = "code"\ninclude = ["/tools/**"]',
    "docs": 'include = ["/docs/**"]',
    "verification": 'kind = "records"\ninclude = ["/qa/*.yaml"]\nweight = 0.9\ndecay = 0.012',
    "tasks": 'kind = "records"\ninclude = ["/tasks.yaml"]\nweight = 0.8\ndecay = 0.012',
    "commits": 'kind = "git"\nrepos = [{name = "quay", path = "."}]\nweight = 0.7\ndecay = 0.012',
}

_DECISIONS = [
    # (file, date, further front matter, title, text)
    ("0001-one-service", "2026-01-12", "", "One service, not five",
     "Scheduling, billing and notices stay one program until two teams exist. A network call "
     "between parts that always change together buys us nothing but timeouts."),
    ("0002-postgres", "2026-01-20", "", "Postgres holds the bookings",
     "A booking and its berth change in one transaction. A document database would leave that to "
     "us. The harbour master exports with plain SQL."),
    ("0003-outbox-in-redis", "2026-02-02", "", "The offline outbox lives in Redis",
     "Crews on the water lose the network. Their changes wait in an outbox; the outbox is a Redis "
     "list on the tablet's gateway, replayed in order when the link is back."),
    ("0004-tides-in-utc", "2026-02-17", "", "Tide tables are kept in UTC",
     "Every tide table is converted to UTC when it is read, and to local time only on the screen. "
     "The hydrographic office publishes local winter time all year; two groundings in March came "
     "from adding an hour twice."),
    ("0005-no-orm", "2026-03-01", "", "Statements are written by hand",
     "Forty queries, each with a name and a plan that somebody read. A mapper hid the lock that "
     "a berth takes."),
    ("0006-permissions", "2026-03-19", "", "Permissions follow the pier",
     "Who works on a pier may move its vessels. Roles per person were asked for and refused: "
     "crews change every week."),
    ("0007-money-in-cents", "2026-04-05", "", "Money is counted in cents",
     "Whole numbers of the smallest unit, the currency beside them. Fees are rounded once, at the "
     "end of an invoice."),
    ("0008-retention", "2026-05-11", "", "Positions are forgotten after ninety days",
     "Transponder positions are personal data of a skipper. Ninety days suffice for a dispute."),
    ("0009-small-harbours-first", "2026-06-02", "", "Small harbours before container ports",
     "Strategy for two years: we sell to marinas and fishing harbours below two hundred berths. "
     "Container terminals ask for integrations that one team cannot maintain, and their tenders "
     "take longer than our runway. Revisit when three customers ask for cranes."),
    ("0010-feature-flags", "2026-07-07", "", "Flags end with the release",
     "A flag that is older than two releases is removed or becomes a setting."),
    ("0011-outbox-in-sqlite", "2026-09-14", "supersedes: 0003-outbox-in-redis\n",
     "The offline outbox lives in SQLite",
     "Redis lost the outbox whenever a tablet's battery died. The outbox becomes a SQLite file on "
     "the tablet itself, replayed in order; the gateway holds nothing."),
    ("0012-error-budget", "2026-10-20", "", "Ninety-nine and a half is enough",
     "Berth planning may be away for three hours a month. Alarms at night are for mooring safety "
     "alone."),
]  # fmt: skip

_LEARNINGS = [
    ("renewal-clock", "2026-10-02", "Lease renewal and clock skew",
     "A berth lease renewal failed for tablets whose clock ran four minutes fast: the server took "
     "the renewal for one from the future. Compare with the server's clock only."),
    ("vacuum", "2026-02-28", "Autovacuum on positions",
     "The positions table grew to forty gigabytes because autovacuum never caught up."),
    ("ais-gaps", "2026-03-15", "Transponder gaps",
     "Vessels behind the breakwater vanish for minutes; a gap is no departure."),
    ("csv-comma", "2026-03-22", "Decimal commas", "Customs sends weights with decimal commas."),
    ("smtp-throttle", "2026-04-09", "Mail throttling",
     "The provider delays notices above twenty a minute; batches of ten pass."),
    ("map-tiles", "2026-04-30", "Chart tiles", "Chart tiles expire; a stale one shows old depths."),
    ("index-bloat", "2026-05-17", "Partial index", "A partial index on open bookings is tiny."),
    ("tablet-sleep", "2026-06-08", "Sleeping tablets", "Background sync stops under ten percent."),
    ("invoice-dup", "2026-06-21", "Duplicate invoices",
     "A retried webhook made two invoices; an idempotency key ended that."),
    ("leap-day", "2026-07-04", "Leap day", "Yearly contracts that begin on a leap day end early."),
    ("bow-names", "2026-07-30", "Vessel names", "Names repeat; call signs do not."),
    ("pdf-fonts", "2026-08-12", "Fonts in manifests", "Greek names need an embedded font."),
    ("queue-order", "2026-09-15", "Replay order", "Replaying by arrival mixed up mooring times."),
    ("pager", "2026-11-03", "Quiet nights", "Half of all alarms were the same flapping sensor."),
]  # fmt: skip

_DOCS = {
    "docs/overview.md": "# Overview\n\nQuay plans which vessel lies where. Tide tables, berths and "
    "bookings come together in one plan a day. Times on screen are local; UTC is mentioned here "
    "and there, as are tables of tides, berths and fees.\n",
    "docs/berths.md": "# Berths and leases\n\nA vessel holds a berth by a lease of six hours.\n\n"
    "## Renewal\n\nLease renewal happens half an hour before the end. A berth whose lease renewal "
    "is missed is free again.\n",
    "docs/install.md": "# Install\n\nOne container, one database, one volume for charts.\n",
    "docs/backup.md": "# Backup\n\nNightly dumps go to another building. Restores are rehearsed.\n",
    "docs/notices.md": "# Notices\n\nSkippers are told by mail and by text of changes to a plan.\n",
    "docs/fees.md": "# Fees\n\nLength times nights, plus water and power by the meter.\n",
    "docs/charts.md": "# Charts\n\nDepths come from the survey of the year.\n",
    "docs/glossary.md": "# Glossary\n\nBerth: a place to lie. Fairway: the way in. Pier: a row of "
    "berths. Tide: why the fairway closes.\n",
    "docs/university.md": "# University days\n\nThe university sends students in May. Each "
    "university group gets a pier tour; the university pays. Codes for the gate are handed out by "
    "the university office.\n",
    "docs/faq.md": "# Questions\n\nWhy is my tide table an hour off? Check the time zone. Why UTC? "
    "Ask the team.\n",
    "docs/support.md": "# Support\n\nCall the office by day and the lock keeper by night.\n",
    "docs/accessibility.md": "# Accessibility\n\nEvery screen works with a keyboard and gloves.\n",
}  # fmt: skip

_TASKS = [
    ("TG-101", "2026-08-03", "Print gate passes", "Passes with a code for each crew."),
    ("TG-104", "2026-08-19", "Show wind on the plan", "Arrows per pier, refreshed each minute."),
    ("TG-108", "2026-09-02", "Export fees", "Monthly totals for the accountant."),
    ("TG-110", "2026-09-20", "Move the outbox to the tablet", "Follows decision 0011."),
    ("TG-112", "2026-10-01", "Mute flapping sensors", "Three changes a minute are one alarm."),
    ("TG-115", "2026-10-18", "Translate notices", "Greek and Portuguese first."),
    ("TG-117", "2026-11-09", "Draw the fairway closing times",
     "The plan shows when draught and tide close the fairway for a vessel."),
    ("TG-118", "2026-11-12", "Chart update job", "Weekly instead of yearly."),
    ("TG-119", "2026-11-20", "Audit mooring times", "Compare the log with what crews entered."),
]  # fmt: skip

_CHECKS = [
    ("keyboard", "2026-07-14", "Plan screen by keyboard", "Every berth was reached by tab."),
    ("gloves", "2026-07-15", "Tablet with gloves", "Buttons of twelve millimetres were hit."),
    ("berth-codes", "2026-10-28", "Universal berth codes on the signs",
     "The universal berth codes on all signs were compared with the plan: six piers agree, pier "
     "four shows the old letters."),
    ("glare", "2026-08-02", "Screen in sunlight", "Contrast of the plan was readable at noon."),
    ("mail-preview", "2026-08-22", "Notice previews", "Subjects are cut after forty letters."),
    ("print", "2026-09-09", "Printed plan", "A3 in grey tells vessels apart by hatching."),
    ("offline", "2026-09-27", "Offline for an hour", "All entries came back in order."),
]  # fmt: skip

_API = """\
openapi: 3.0.3
info: {title: Quay, version: "1.4"}
servers:
  - url: https://quay.example/api
paths:
  /bookings:
    get:
      summary: List bookings
      operationId: listBookings
    post:
      summary: Book a berth
      operationId: createBooking
  /bookings/{id}:
    get:
      summary: Read a booking
      operationId: readBooking
    delete:
      summary: Cancel a booking
      operationId: cancelBooking
      description: Frees the berth at once; fees for nights that passed stay.
  /vessels/{callSign}:
    get:
      summary: Read a vessel
      operationId: readVessel
    put:
      summary: Change a vessel's length or draught
      operationId: updateVessel
  /piers/{pier}/plan:
    get:
      summary: The plan of a pier for a day
      operationId: readPlan
  /tides:
    get:
      summary: High and low waters of a day
      operationId: listTides
"""

_TIDES = '''\
"""Tide tables of the hydrographic office."""

import csv
from datetime import UTC, datetime, timedelta


def parse_tide_table(lines, offset_hours):
    """High and low waters of a published table, in UTC."""
    rows = csv.reader(lines, delimiter=";")
    shift = timedelta(hours=offset_hours)
    return [(read_moment(row[0]) - shift, float(row[1])) for row in rows]


def read_moment(text):
    """A moment as the office writes it."""
    return datetime.strptime(text, "%d.%m.%Y %H:%M").replace(tzinfo=UTC)


def highest(table):
    """The highest water of a table."""
    return max(table, key=lambda row: row[1])


class FairwayGate:
    """Whether a draught passes at a moment."""

    def __init__(self, depth):
        self.depth = depth

    def passes(self, draught, water):
        """Half a metre stays below the keel."""
        return self.depth + water - draught >= 0.5
'''
_FEES = '''\
"""Fees of a stay."""


def fee_in_cents(length_m, nights, rate):
    """Rounded once, at the end."""
    return round(length_m * nights * rate)


def water_and_power(meters):
    """What the meters of a berth counted."""
    return sum(meters.values())
'''
_BACKUP = """\
#!/bin/sh
# Nightly dump to the other building.
set -eu

dump_database() {
  pg_dump --format=custom quay > "$1"
}

copy_away() {
  rsync --partial "$1" backup:/srv/dumps/
}

dump_database "$TARGET"
copy_away "$TARGET"
"""

# Day and message.
_COMMITS = [
    ("2026-03-03", "Read tide tables with their offset"),
    ("2026-03-21", "Refuse weights with two commas"),
    ("2026-04-10", "Send notices in batches of ten"),
    ("2026-05-02", "Forget positions after ninety days"),
    ("2026-05-20", "Update the pontoon sensor firmware\n\nVersion 3 of the pontoon sensor firmware "
     "reports water and wind."),
    ("2026-06-11", "Show berths by pier"),
    ("2026-06-30", "One invoice for a repeated webhook"),
    ("2026-07-12", "Name vessels by call sign"),
    ("2026-08-08", "Embed a font for manifests"),
    ("2026-08-25", "Hatch vessels in print"),
    ("2026-09-16", "Move the outbox to a file on the tablet"),
    ("2026-09-30", "Replay the outbox in order of entry"),
    ("2026-10-03", "Berth lease renewal goes by the server's clock\n\nTablets may be fast."),
    ("2026-10-09", "Warn before a berth lease renewal is missed"),
    ("2026-10-22", "Count flapping sensors once"),
    ("2026-11-05", "Draw the wind as arrows"),
    ("2026-11-13", "Fetch charts weekly"),
    ("2026-11-27", "Update the pontoon sensor firmware\n\nVersion 4 of the pontoon sensor firmware "
     "reports water and salt."),
]  # fmt: skip

NO_ANSWER = "favourite scuba locations in Antarctica"


@dataclass(frozen=True)
class Question:
    """One golden query.

    Attributes:
        needs: The sources without which it cannot pass.
    """

    query_id: str
    query: str
    category: str
    needs: frozenset[str]
    expect: tuple[str, ...] = ()
    top1: str | None = None
    must_not: tuple[str, ...] = ()
    k: int = 5


@dataclass(frozen=True)
class World:
    """The repository, and what it must answer.

    Attributes:
        this_week: The `doc_id` of the commit of this week, and the one of the same words in May.
    """

    root: Path
    questions: tuple[Question, ...]
    n_documents: dict[str, int]
    this_week: tuple[str, str]


def make_world(root: Path) -> World:
    """Write the repository, commit by commit."""
    repo = Git(root)
    shas = []
    for n, (day, message) in enumerate(_COMMITS):
        # The last one brings the files, as they are now.
        if n == len(_COMMITS) - 1:
            write_files(root)
            repo("add", "-A")
        date = f"{day}T09:00:00+00:00"
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        git(root, "commit", "-q", "--allow-empty", "-m", message, **dates)
        shas.append("git:quay#" + repo("rev-parse", "HEAD"))
    titles = [message.split("\n")[0] for _, message in _COMMITS]
    by_title = dict(zip(titles, shas, strict=True))
    may, week = shas[4], shas[-1]
    renewal = (
        by_title["Berth lease renewal goes by the server's clock"],
        by_title["Warn before a berth lease renewal is missed"],
        "memory/learnings.jsonl#renewal-clock",
        "docs/berths.md",
    )
    one = frozenset
    questions = (
        Question("spread", "berth lease renewal", "multi-source",
                 one({"commits", "learnings", "docs"}), renewal),
        Question("decision-first", "tide tables in UTC", "keyword", one({"decisions"}),
                 top1="decisions/0004-tides-in-utc.md"),
        Question("no-accident", "universal codes", "keyword", one({"verification"}),
                 top1="qa/2026.yaml#berth-codes", must_not=("docs/university.md",), k=1),
        Question("this-week", "pontoon sensor firmware", "freshness", one({"commits"}),
                 (may,), top1=week),
        Question("strategy", "which customers do we sell to first, small marinas or container "
                 "terminals?", "question", one({"decisions"}),
                 top1="decisions/0009-small-harbours-first.md"),
        Question("operation", "cancel a booking", "keyword", one({"api"}),
                 top1="api/openapi.yaml#DELETE /bookings/{id}"),
        Question("function", "parse_tide_table", "identifier", one({"tools"}),
                 top1="tools/tides.py#parse_tide_table"),
        Question("task", "TG-117", "identifier", one({"tasks"}), top1="tasks.yaml#TG-117"),
        Question("superseded", "where does the offline outbox live", "question",
                 one({"decisions"}), ("decisions/0003-outbox-in-redis.md",
                                      "decisions/0011-outbox-in-sqlite.md")),
        Question("nothing", NO_ANSWER, "no-answer", one()),
    )  # fmt: skip
    counts = {
        "decisions": len(_DECISIONS),
        "learnings": len(_LEARNINGS),
        "api": 8,
        "tools": 4 + 2 + 2 + 3,  # functions and classes; and what each file does by itself
        "docs": len(_DOCS),
        "verification": len(_CHECKS),
        "tasks": len(_TASKS),
        "commits": len(_COMMITS),
    }
    return World(root, questions, counts, (week, may))


def write_files(root: Path) -> None:
    """The files as they are now."""
    files = {
        ".gitignore": "/store*/\n/suite.yaml\n/memidx.toml\n/reports/\n",
        "api/openapi.yaml": _API,
        "tools/tides.py": _TIDES,
        "tools/fees.py": _FEES,
        "tools/backup.sh": _BACKUP,
        "tasks.yaml": _yaml_records(_TASKS),
        "qa/2026.yaml": _yaml_records(_CHECKS),
        "memory/learnings.jsonl": "".join(
            json.dumps({"id": i, "date": day, "title": title, "text": text}) + "\n"
            for i, day, title, text in _LEARNINGS
        ),
        **_DOCS,
    }
    for name, day, more, title, text in _DECISIONS:
        files[f"decisions/{name}.md"] = f"---\ndate: {day}\n{more}---\n# {title}\n\n{text}\n"
    write_tree(root, files)
    configure(root, SOURCES)


def configure(root: Path, names: Iterable[str]) -> None:
    """A configuration with these sources, in this order."""
    tables = (f'[[sources]]\nname = "{name}"\n{SOURCES[name]}\n' for name in names)
    write_tree(root, {"memidx.toml": "\n".join(tables)})


def suite_text(questions: Iterable[Question], categories: Iterable[str] = ()) -> str:
    """The suite, as a person would write it."""
    lines = ["version: 1", f"as_of: {AS_OF}", "queries:"]
    for question in questions:
        entry: dict[str, object] = {
            "id": question.query_id,
            "query": question.query,
            "category": question.category,
            "severity": "must",
            "k": question.k,
        }
        if question.category == "no-answer":
            entry["expect_empty"] = True
        else:
            entry["expect_sources"] = sorted(question.needs)
        if question.expect:
            entry["expect_paths"] = list(question.expect)
        if question.top1:
            entry["top1"] = question.top1
        if question.must_not:
            entry["must_not"] = list(question.must_not)
        lines.append(f"- {json.dumps(entry)}")
    return "\n".join([*lines, ""])


def _yaml_records(records: Iterable[tuple[str, str, str, str]]) -> str:
    return "".join(
        f"- id: {i}\n  date: {day}\n  title: {json.dumps(title)}\n  text: {json.dumps(text)}\n"
        for i, day, title, text in records
    )
