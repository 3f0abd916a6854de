"""Who helps with a build?

A crew is a few processes of memidx that share the work of one build, from its reading to its
analysis: each would take longer to start than to do a small part of it. Whoever has much to do asks
`current_crew` for it, and does the work alone where there is none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar

from memidx.errors import StoreError

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")

# Tasks given out ahead of the one that is waited for: enough that nobody idles, and few enough
# that what they hold fits in memory however large the project is.
_AHEAD = 3


class Crew:
    """Processes that are started when the first task comes.

    Args:
        size: How many, >= 2.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._pool: ProcessPoolExecutor | None = None

    @property
    def is_started(self) -> bool:
        """Whether the time that a start takes has been spent."""
        return self._pool is not None

    def map(
        self, function: Callable[[_Task], _Result], tasks: Iterable[_Task]
    ) -> Iterator[_Result]:
        """Results in the order of the tasks.

        Args:
            function: Of a module; it, its tasks and results must be picklable.
            tasks: Read as far ahead as there are hands.

        Raises:
            StoreError: A process ended before its work did.
        """
        from concurrent.futures.process import BrokenProcessPool  # only who has a crew pays for it

        pool = self._start()
        given: deque[Future[Any]] = deque()
        try:
            for task in tasks:
                given.append(pool.submit(function, task))
                if len(given) > self._size * _AHEAD:
                    yield given.popleft().result()
            while given:
                yield given.popleft().result()
        except BrokenProcessPool as error:
            raise StoreError(
                "a process that helped with the build was ended from outside, perhaps for want of "
                "memory; nothing was changed by it",
                hint="run it again, with --jobs 1 if it happens again",
            ) from error

    def dismiss(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def _start(self) -> ProcessPoolExecutor:
        if self._pool is None:
            import multiprocessing
            from concurrent.futures import ProcessPoolExecutor

            # Fresh processes: a fork would copy locks that threads of this process may hold.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._size, mp_context=context)
        return self._pool


_current: ContextVar[Crew | None] = ContextVar("memidx_crew", default=None)


def current_crew() -> Crew | None:
    """The crew of the build that is under way, if it has one."""
    return _current.get()


@contextmanager
def crew_of(size: int) -> Iterator[None]:
    """A crew for what is done meanwhile; none of fewer than two processes."""
    crew = Crew(size) if size > 1 else None
    token = _current.set(crew)
    try:
        yield
    finally:
        _current.reset(token)
        if crew is not None:
            crew.dismiss()
