"""How does a test runner's dashboard read a run?

JUnit's XML, as Jenkins and others take it: one test case a query. What decides the exit code is
a failure or an error, and what is only watched is skipped, with the reason; so there is a failure
or an error exactly where the exit code is not 0. No times: a report does not depend on the clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from memidx.evals.cells import one_line
from memidx.evals.missed import Miss
from memidx.evals.outcome import Outcome
from memidx.evals.report import FloorResult, QueryResult, Report

Kind = Literal["passed", "failure", "error", "skipped"]
_COUNTED: dict[str, Kind] = {"failures": "failure", "errors": "error", "skipped": "skipped"}


class Case(NamedTuple):
    """One test case; `type` and `lines` are of a failure or an error alone."""

    class_name: str
    name: str
    kind: Kind
    message: str = ""
    type: str = ""
    lines: tuple[str, ...] = ()


def render_junit(report: Report) -> str:
    """A run as JUnit XML."""
    # XML is only written when it is asked for.
    from xml.etree import ElementTree

    suites = {name: cases for name, cases in _suites(report).items() if cases}
    everything = [case for cases in suites.values() for case in cases]
    root = ElementTree.Element("testsuites", {"name": _plain(report.suite)})
    # The outermost element has no attribute for what is skipped.
    root.attrib.update(_counts(everything, without="skipped"))
    for name, cases in suites.items():
        suite = ElementTree.SubElement(root, "testsuite", {"name": _plain(name)})
        suite.attrib.update(_counts(cases))
        for case in cases:
            names = {"classname": _plain(case.class_name), "name": _plain(case.name)}
            element = ElementTree.SubElement(suite, "testcase", names)
            if case.kind == "passed":
                if case.message:
                    ElementTree.SubElement(element, "system-out").text = _plain(case.message)
                continue
            said = ElementTree.SubElement(element, case.kind, {"message": _plain(case.message)})
            if case.kind != "skipped":
                said.set("type", case.type)
                said.text = "\n".join(map(_plain, case.lines))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _suites(report: Report) -> dict[str, list[Case]]:
    suites = {
        report.suite: list(_queries(report)),
        f"{report.suite} floors": [_floor(report, floor) for floor in report.floors],
        f"{report.suite} run": [
            Case(report.suite, f"problem {n}", "error", problem, "inconclusive", (problem,))
            for n, problem in enumerate(report.problems, 1)
        ],
    }
    is_red = any(c.kind in ("failure", "error") for cases in suites.values() for c in cases)
    if report.outcome is not Outcome.PASSED and not is_red:
        # Whatever made the outcome, a dashboard must not be green beside another exit code.
        kind: Kind = "error" if report.outcome is Outcome.INCONCLUSIVE else "failure"
        verdict = Case(
            report.suite, "verdict", kind, report.verdict, report.outcome.value, (report.verdict,)
        )
        suites[f"{report.suite} run"].append(verdict)
    return suites


def _queries(report: Report) -> Iterator[Case]:
    misses: dict[str, list[Miss]] = {}
    for miss in report.misses:
        misses.setdefault(miss.query_id, []).append(miss)
    regressed = set(report.comparison.regressed if report.comparison else ())
    for result in report.queries:
        class_name = f"{report.suite}.{result.category}"
        name = f"{result.query_id}: {result.text}"
        reasons = "; ".join(result.reasons)
        lines = tuple(_lines(report, result, misses.get(result.query_id, [])))
        if result.status == "inconclusive":
            yield Case(class_name, name, "error", reasons, "inconclusive", lines)
        elif result.status == "passed":
            said = "a known gap that passes: it can be must now" if result.unexpected_pass else ""
            yield Case(class_name, name, "passed", said)
        elif result.severity == "must":
            what = "regressed" if result.query_id in regressed else "failed"
            yield Case(class_name, name, "failure", reasons, what, lines)
        else:
            watched = f"{result.severity.replace('_', ' ')}: {reasons}"
            yield Case(class_name, name, "skipped", watched)


def _lines(report: Report, result: QueryResult, misses: list[Miss]) -> Iterator[str]:
    """What a person needs who sees nothing but this failure."""
    yield f"{report.suite}:{result.line}: {result.text}"
    yield from result.reasons
    for miss in misses:
        yield f"{miss.kind.replace('_', ' ')}: {miss.detail or miss.target}"
        if miss.hint_words:
            yield f"tried: {miss.hint_words}"
    yield f"first hits: {', '.join(result.hits) or 'none'}"


def _floor(report: Report, floor: FloorResult) -> Case:
    name = f"{floor.scope} {floor.measure} >= {floor.minimum:g}"
    value = "no value" if floor.value is None else f"{floor.value:.4f}"
    said = f"{floor.measure} of {floor.scope} is {value} (at least {floor.minimum:g})"
    kinds: dict[str, Kind] = {"passed": "passed", "failed": "failure", "inconclusive": "error"}
    where = f"{report.suite}:{floor.line}: {said}"
    kind = kinds[floor.status]
    if kind == "passed":
        return Case(f"{report.suite}.floors", name, kind)
    return Case(f"{report.suite}.floors", name, kind, said, floor.status, (where,))


def _counts(cases: list[Case], without: str = "") -> dict[str, str]:
    counts = {"tests": str(len(cases))}
    for key, kind in _COUNTED.items():
        if key != without:
            counts[key] = str(sum(case.kind == kind for case in cases))
    return counts


def _plain(text: str) -> str:
    """Text that XML can hold: it has no way to write most control characters."""
    return one_line(text)
