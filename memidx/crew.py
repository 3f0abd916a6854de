"""Who helps with a build?

A crew is this process and a few others of memidx that share the work of one build. Whoever has much
to do asks `current_crew` for it, and does the work alone where there is none.
Helpers are new processes, which load of memidx what their work needs and nothing of the caller's
program. Each gets its tasks through a pipe, and has some ahead; what it found is sent by a thread
of its own, so that it never waits until somebody looks. Meanwhile this process works too, looks
between two tasks for results, and never waits while there is a task left: in the end it does those
that helpers have not come to.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import IO, TYPE_CHECKING, Any, TypeVar

from memidx.errors import StoreError

if TYPE_CHECKING:
    from queue import SimpleQueue
    from subprocess import Popen

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")

# Tasks a helper has: the one it works on, and the next, so that it never waits for one although
# this process looks only when it has done a task itself.
_AHEAD = 3
# Results that may wait for the one before them; they must fit in memory however many tasks follow.
_WAITING = 8
_HEAD_BYTES = 8
# Room in a pipe: a result then takes a few turns of the two processes, not hundreds.
_PIPE_BYTES = 1 << 20
# No helper does linear algebra, for which numpy's library would make threads.
_HELP_OUT = (
    "import sys; sys.path[:] = {}; from os import putenv; putenv('OPENBLAS_NUM_THREADS', '1'); "
    "from memidx.crew import help_out; help_out({}, {}, {})"
)


# How long such threads look for work before they sleep, as a power of two.
_BLAS_PATIENCE, _NO_PATIENCE = "OPENBLAS_THREAD_TIMEOUT", "4"


class Crew:
    """Processes that work together, this one among them.

    Args:
        size: How many, >= 2.
        load: Names of modules that helpers load while they wait for their first task.

    Attributes:
        size: The same.
    """

    def __init__(self, size: int, load: Sequence[str] = ()) -> None:
        self.size = size
        self._load = load
        self._helpers: list[_Helper] = []
        self._dismissed: list[_Helper] = []

    @property
    def is_started(self) -> bool:
        """Whether the time that a start takes has been spent."""
        return bool(self._helpers)

    def start(self, most: int | None = None) -> None:
        """Start the helpers, if they are not: they get ready while this process goes on.

        Args:
            most: No more than so many, where it is not known yet whether there is much to do.
        """
        wanted = self.size - 1 if most is None else min(most, self.size - 1)
        while len(self._helpers) < wanted:
            self._helpers.append(_Helper(self._load))

    def map(
        self,
        function: Callable[[_Task], _Result],
        tasks: Iterable[_Task],
        *,
        get_ready: Callable[[], None] | None = None,
    ) -> Iterator[_Result]:
        """Results in the order of the tasks.

        Args:
            function: Of a module; it, its tasks and results must be picklable.
            tasks: Read as far ahead as there are hands.
            get_ready: What this process needs before its first task, when others have theirs.

        Raises:
            StoreError: A process ended before its work did.
        """
        self.start()
        numbered = enumerate(tasks)
        done: dict[int, _Result] = {}
        n_taken = n_given = 0
        is_heard = True  # whatever the helpers said
        try:
            while True:
                for helper in self._helpers:
                    while helper.n_tasks < _AHEAD and (task := next(numbered, None)):
                        helper.give(task[0], function, task[1])
                        n_taken += 1
                if get_ready is not None:
                    get_ready()
                    get_ready = None
                self._collect(done, wait_s=0)
                while n_given in done:
                    yield done.pop(n_given)
                    n_given += 1
                has_room = n_taken - n_given < _WAITING * self.size
                if has_room and (task := next(numbered, None)):
                    n_taken += 1
                    done[task[0]] = function(task[1])
                elif has_room and (task := self._take_back()):
                    is_heard = False
                    done[task[0]] = function(task[1])
                elif n_given < n_taken:
                    self._collect(done, wait_s=None)
                else:
                    break
        except BaseException:
            is_heard = False
            raise
        finally:
            # What a helper says later may build on what nobody heard.
            if not is_heard:
                self.dismiss()

    def dismiss(self) -> None:
        """End the processes; `wait` for their end."""
        for helper in self._helpers:
            helper.dismiss()
        self._dismissed += self._helpers
        self._helpers.clear()

    def wait(self) -> None:
        """Wait until those that were dismissed have ended: to give back memory takes them time."""
        for helper in self._dismissed:
            helper.wait()
        self._dismissed.clear()

    def _take_back(self) -> tuple[int, Any] | None:
        """A task that some helper has not come to, if there is one."""
        return next(filter(None, (helper.take_back() for helper in self._helpers)), None)

    def _collect(self, done: dict[int, Any], wait_s: float | None) -> None:
        """Take the results that are there; None waits for one, where none of those wanted is."""
        from select import select

        busy = {helper.results: helper for helper in self._helpers if helper.n_tasks}
        ready = [results for results, helper in busy.items() if helper.found]
        if not ready:
            ready, _, _ = select([*busy], [], [], wait_s)
        for results in ready:
            if taken := busy[results].take():
                done[taken[0]] = taken[1]


class _Helper:
    """A process that works for this one.

    Attributes:
        n_in_vain: How many of its tasks were taken back, the last ones.
    """

    def __init__(self, load: Sequence[str]) -> None:
        # Only who has a crew pays for it.
        from subprocess import DEVNULL, Popen

        task_end, task_start = os.pipe()
        result_end, result_start = os.pipe()
        code = _HELP_OUT.format(sys.path, task_end, result_start, [*load])
        self.n_in_vain = 0
        self._process: Popen[bytes] = Popen(
            [sys.executable, "-c", code],
            stdin=DEVNULL,
            stdout=DEVNULL,
            pass_fds=(task_end, result_start),
        )
        for descriptor in (task_end, result_start):
            os.fdopen(descriptor).close()
        self._tasks: IO[bytes] = os.fdopen(task_start, "wb", buffering=0)
        self.results: IO[bytes] = os.fdopen(result_end, "rb", buffering=0)
        # The tasks it has, and their numbers; of the last ones nobody wants to know the result.
        self._given: deque[tuple[int, Any]] = deque()
        self.found: deque[tuple[Any, Exception | None]] = deque()
        for pipe in (self._tasks, self.results):
            _enlarge(pipe)
        os.set_blocking(task_start, False)

    def give(self, number: int, function: Callable[[Any], Any], task: Any) -> None:
        """Hand over a task."""
        from select import select

        self._given.append((number, task))
        left = _packed((function, task))
        with _helper_lives():
            while left:
                ready = select([self.results], [self._tasks], [])[0]
                if ready:
                    # It does not read on before it has said what it found.
                    self.found.append(_receive(self.results))
                else:
                    left = left[self._tasks.write(left) or 0 :]

    @property
    def n_tasks(self) -> int:
        """How many tasks it has."""
        return len(self._given)

    def take(self) -> tuple[int, Any] | None:
        """Number and result of the task that was given first, if it is wanted; waits for it."""
        if not self.found:
            with _helper_lives():
                self.found.append(_receive(self.results))
        result, error = self.found.popleft()
        number, _ = self._given.popleft()
        if len(self._given) < self.n_in_vain:
            self.n_in_vain -= 1
            return None
        if error is not None:
            raise error
        return number, result

    def take_back(self) -> tuple[int, Any] | None:
        """Number and task of the last one that it is not to do any more; never that at hand."""
        if len(self._given) - self.n_in_vain < 2:
            return None
        self.n_in_vain += 1
        return self._given[-self.n_in_vain]

    def dismiss(self) -> None:
        """End the process, whatever it does: nobody asks for it."""
        self._process.kill()
        with suppress(OSError):
            self._tasks.close()
        self.results.close()

    def wait(self) -> None:
        """Wait until the process has ended."""
        self._process.wait()


def load_numpy(env: Mapping[str, str]) -> None:
    """Load numpy, without the threads for linear algebra that look for work as soon as it is there.

    They would keep a processor for 0.1 s that a helper could use. Who calls memidx may do linear
    algebra, so there are as many as ever; they only sleep until they are needed.

    Args:
        env: The environment; where it says how long they are to look, nothing is done.
    """
    if "numpy" in sys.modules or _BLAS_PATIENCE in env:
        return
    os.putenv(_BLAS_PATIENCE, _NO_PATIENCE)
    try:
        import numpy  # noqa: F401
    finally:
        os.unsetenv(_BLAS_PATIENCE)


def help_out(tasks: int, results: int, load: Sequence[str]) -> None:
    """Work on tasks until there are no more; what a helper does.

    Args:
        tasks: Descriptor of the pipe that they come through; `results` likewise.
        load: Names of modules that will be needed.
    """
    import gc
    import signal
    from importlib import import_module
    from queue import SimpleQueue
    from threading import Thread

    # Who is interrupted is the one that has helpers; it ends them.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Nothing here is worth a search for cycles, and it ends with the build.
    gc.disable()
    found: SimpleQueue[memoryview | None] = SimpleQueue()
    with os.fdopen(tasks, "rb", buffering=0) as given, suppress(EOFError):
        sender = Thread(target=_send, args=(results, found))
        sender.start()
        for name in load:
            import_module(name)
        try:
            while True:
                found.put(_packed(_answer(*_receive(given))))
        finally:
            found.put(None)
            sender.join()


def _answer(function: Callable[[Any], Any], task: Any) -> tuple[Any, Exception | None]:
    """What a task gave, or the error it met, which is raised where the work was given out."""
    try:
        return function(task), None
    except Exception as error:  # noqa: BLE001 - see above
        return None, error


def _send(results: int, found: SimpleQueue[memoryview | None]) -> None:
    """Send what is found until there is no more, while the helper works on.

    No more than `_AHEAD` wait, for no more tasks are given to who has not told of the others.
    """
    with os.fdopen(results, "wb", buffering=0) as pipe, suppress(BrokenPipeError):
        while (left := found.get()) is not None:
            while left:
                left = left[pipe.write(left) :]


def _packed(message: Any) -> memoryview:
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return memoryview(len(data).to_bytes(_HEAD_BYTES, "little") + data)


def _receive(pipe: IO[bytes]) -> Any:
    """The next message.

    Raises:
        EOFError: There is none any more.
    """
    size = int.from_bytes(_read(pipe, _HEAD_BYTES), "little")
    return pickle.loads(_read(pipe, size))


def _read(pipe: IO[bytes], size: int) -> bytearray:
    data = bytearray(size)
    left = memoryview(data)
    while left:
        n_read = pipe.readinto(left)  # type: ignore[attr-defined]  # it is not buffered
        if not n_read:
            raise EOFError
        left = left[n_read:]
    return data


@contextmanager
def _helper_lives() -> Iterator[None]:
    """Say it in words where it does not."""
    try:
        yield
    except (EOFError, BrokenPipeError, ConnectionResetError) as error:
        raise StoreError(
            "a process that helped with the build was ended from outside, perhaps for want of "
            "memory; nothing was changed by it",
            hint="run it again, with --jobs 1 if it happens again",
        ) from error


def _enlarge(pipe: IO[bytes]) -> None:
    """Make room in a pipe, where the system lets."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


_current: ContextVar[Crew | None] = ContextVar("memidx_crew", default=None)


def current_crew() -> Crew | None:
    """The crew of the build that is under way, if it has one."""
    return _current.get()


@contextmanager
def crew_of(size: int, load: Sequence[str] = ()) -> Iterator[Crew | None]:
    """A crew for what is done meanwhile, if there shall be two processes; arguments of `Crew`."""
    # Windows cannot wait for several pipes.
    is_possible = bool(sys.executable) and os.name == "posix"
    crew = Crew(size, load) if size > 1 and is_possible else None
    token = _current.set(crew)
    try:
        yield crew
    finally:
        _current.reset(token)
        if crew is not None:
            crew.dismiss()
            crew.wait()
