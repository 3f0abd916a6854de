"""How is something done beside what this thread does?

A thread gains where most of the time is spent waiting for the disk, or in code that lets others
run. Whoever left something to one waits for it, whatever happens.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Generic, Self, TypeVar

_T = TypeVar("_T")


class Aside(Generic[_T]):
    """A call that a thread makes while the block goes on; the block does not end before it.

    An error that the call met is raised at the end of the block, if that met none itself.

    Args:
        call: What the thread calls.
    """

    def __init__(self, call: Callable[[], _T]) -> None:
        self._call = call
        self._results: list[_T] = []
        self._failure: BaseException | None = None
        self._thread = Thread(target=self._make)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        interrupt: BaseException | None = None
        while self._thread.is_alive():
            try:
                self._thread.join()
            except BaseException as error:  # noqa: BLE001 - raised when the thread has ended
                interrupt = error
        failure = interrupt or self._failure
        if kind is None and failure is not None:
            raise failure

    @property
    def result(self) -> _T:
        """What the call gave, after the block."""
        return self._results[0]

    def _make(self) -> None:
        try:
            self._results.append(self._call())
        except BaseException as error:  # noqa: BLE001 - raised where somebody waits for it
            self._failure = error
