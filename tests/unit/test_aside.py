"""What is left to a thread is done when the block ends, whatever happens in it."""

from __future__ import annotations

from threading import Event, current_thread, main_thread

import pytest

from memidx.aside import Aside


def test_a_call_is_made_beside_the_block() -> None:
    """Both go on at once, and its result is there afterwards."""
    begun, seen = Event(), Event()

    def call() -> str:
        begun.set()
        assert seen.wait(9)
        return current_thread().name

    with Aside(call) as aside:
        assert begun.wait(9)
        seen.set()
    assert aside.result != main_thread().name


def test_an_error_of_the_call_is_raised_after_the_block() -> None:
    """The block is done all the same."""
    done = []

    def call() -> None:
        raise ValueError("call")

    with pytest.raises(ValueError, match="call"), Aside(call):
        done.append(1)
    assert done == [1]


def test_an_error_of_the_block_comes_first_and_waits_for_the_call() -> None:
    """Nobody goes on, or lets go of a lock, while the call still writes."""
    left, done = Event(), []

    def call() -> None:
        left.wait(0.05)
        done.append(1)
        raise ValueError("call")

    with pytest.raises(KeyboardInterrupt), Aside(call):
        raise KeyboardInterrupt
    assert done == [1]


def test_who_is_interrupted_while_waiting_still_waits() -> None:
    """The interrupt is raised when the call has ended, not swallowed."""
    done: list[int] = []
    left = Event()

    def call() -> None:
        left.wait(9)
        done.append(1)

    aside = Aside(call)
    join = aside._thread.join

    def interrupted() -> None:
        if not left.is_set():
            left.set()
            raise KeyboardInterrupt
        join()

    aside._thread.join = interrupted  # type: ignore[method-assign, assignment]
    with pytest.raises(KeyboardInterrupt), aside:
        pass
    assert done == [1]
