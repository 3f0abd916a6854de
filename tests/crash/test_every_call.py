"""At every call to the disk: the process dies, the call is refused, or the power goes."""

from __future__ import annotations

import contextlib
import errno
import shutil
from itertools import islice
from pathlib import Path

import pytest

from tests.counting import count
from tests.crash.world import LARGE, SCENARIOS, WRITES_STORE, World, attempt
from tests.disk import (
    REASONS,
    Disk,
    Killed,
    Volatile,
    dies_at,
    fails_at,
    lay_out,
)

# Where one run gives many points, the small form takes every other one.
THINNED = 1 if LARGE else 2


@pytest.mark.parametrize("name", [name for name in SCENARIOS if name != "verify"])
def test_death_at_every_change(tmp_path: Path, name: str) -> None:
    """Dead before each create, write, fsync, rename, unlink and mkdir, and half way in a write."""
    world = World(tmp_path, name)
    points = 0
    for half in (False, True):
        at = 0
        while True:
            at += 1
            with world.project() as root:
                disk = Disk(dies_at(at, half=half))
                with disk.under(), contextlib.suppress(Killed):
                    world.scenario.run(root)
                if not disk.dead:
                    break
                if half and disk.calls[-1].kind != "write":
                    continue
                points += 1
                world.check_all(root)
    count("deaths of a process, each at another call", points)
    # Fewer would mean that the disk is no longer watched; likewise below.
    assert points >= 18 // world.scenario.share


def test_verify_changes_nothing(tmp_path: Path) -> None:
    """Not even in the cache: it can be called on a store that belongs to somebody else."""
    world = World(tmp_path, "verify")
    with world.project() as root, Disk().under() as disk:
        world.scenario.run(root)
    assert len(disk.calls) > 50
    assert [call for call in disk.calls if call.changes] == []


def _reasons(kind: str, n: int) -> list[int]:
    """Why a call may be refused: every reason in the large form, else one after the other."""
    apt = [number for number, kinds in REASONS.items() if kind in kinds]
    return apt if LARGE else [apt[n % len(apt)]]


@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.parametrize("name", SCENARIOS)
def test_refusal_of_every_call(tmp_path: Path, name: str, lasting: bool) -> None:
    """Each call in turn fails, once or from then on, for every reason a system has for it.

    The run says what is wrong, or does without; nothing is lost, and nothing is left behind.
    """
    world = World(tmp_path, name)
    with world.project() as root, Disk().under() as counted:
        world.scenario.run(root)
    calls = [call for call in counted.calls if call.changes or not lasting]
    calls = calls[::THINNED] if lasting else calls
    points = 0
    for call in calls:
        for number in _reasons(call.kind, call.number):
            points += 1
            with world.project() as root:
                disk = Disk(fails_at(call.number, number, lasting=lasting))
                with disk.under():
                    outcome = attempt(world.scenario.run, root)
                try:
                    if not _refuses_to_clean(call.kind, number, lasting=lasting):
                        world.check_nothing_left(root, outcome)
                    world.check_outcome(outcome)
                    world.check_all(root)
                except BaseException as error:
                    why = errno.errorcode[number]
                    error.add_note(f"{name}: {why} at call {call}; outcome {outcome!r:.400}")
                    raise
    count("calls refused, once or from then on", points)
    least = (15 // THINNED if lasting else 60) // world.scenario.share
    assert points >= least or (lasting and name == "verify")


def _refuses_to_clean(kind: str, number: int, *, lasting: bool) -> bool:
    """Whether the fault forbids the very removal of what was put aside."""
    return kind == "unlink" or (lasting and "unlink" in REASONS[number])


@pytest.mark.parametrize("name", WRITES_STORE)
def test_power_cut_at_every_change(tmp_path: Path, name: str) -> None:
    """Bytes and names that were not synced are lost, or some of them, in many combinations."""
    world = World(tmp_path, name)
    with world.project() as root:
        model = Volatile(root)
        with model.recorded():
            world.scenario.run(root)
    points = 0
    for how, state in islice(model.distinct(), 0, None, THINNED):
        points += 1
        with world.capped():
            shutil.rmtree(root, ignore_errors=True)
            lay_out(root, state)
            try:
                world.check_all(root)
            except BaseException as error:
                error.add_note(f"{name}: the power went before call {how}")
                raise
    count("states of the disk after a power cut", points)
    assert points >= 60 // THINNED // world.scenario.share
