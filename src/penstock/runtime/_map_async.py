"""Calls of a function for each element, several at once: what all ways to make them share."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import RLock
from typing import Any

import penstock
from penstock.runtime._compile import EMPTY
from penstock.runtime._event_loop import EventLoop, event_loop
from penstock.runtime._head import Head
from penstock.runtime._inlet import Inlet
from penstock.runtime._iterables import SLICE, certainly_empty
from penstock.runtime._iterating import child
from penstock.runtime._node import Node
from penstock.runtime._notes import note
from penstock.runtime._pump import Pump
from penstock.runtime._scale import scale_of
from penstock.runtime._stage_names import MISSING

__all__ = ["MAP_ASYNC", "Call", "Calls"]

Call = tuple[Any, list[Any] | None, Any]
"""An element, where its result goes if the order is kept, and its key."""


class Calls:
    """The head. At most `most` calls are under way, and as many results wait to be given.

    No element is taken from upstream that nobody has asked for. `pull` and what it changes
    belong to one thread at a time: the owner of the pump, or, if the calls are made on the
    pump's own event loop, whoever runs there.
    """

    def __init__(self, node: Node, pump: Pump) -> None:
        fn, most, ordered, per_key, _ = node.arguments
        self.fn: Callable[[Any], Any] = fn
        self.most: int = most
        self.node = node
        self.pump = pump
        self.per_key: Callable[[Any], Any] | None = per_key
        self.ordered: bool = ordered and per_key is None
        self.failure: BaseException | None = None
        """The first error of a call. Nothing is begun any more."""
        self.closed = False
        self.finished: int = 0
        """How many calls have a result. Only where calls are made, this is written."""
        self.results: deque[Any] = deque()
        """Results that may be given; or of all that was begun, in order, if that is kept."""
        self.lock = RLock()
        self._begun: int = 0
        self._given = 0
        self._limit = 0  # so many may have been begun, for the demand there was
        self._scale = scale_of(pump)
        self._over = False
        self._error: BaseException | None = None  # upstream's
        self._batch: Any = iter(EMPTY)
        self._out: Any = iter(EMPTY)
        up: Any = node.up
        self._iterable: bool = up.depth > 0
        self._up: Head
        if self._iterable:
            self._up = child(up, pump, self.most)
        else:
            self._up = inlet = _Taking(pump, self)
            pump.feed(up, inlet)

    # What differs.

    def begin(self) -> None:
        """Pull what may be begun, and begin it."""
        raise NotImplementedError

    def busy(self) -> bool:
        """Return whether calls are under way."""
        raise NotImplementedError

    def stop(self) -> None:
        """Cancel what is under way, after a failure or because the stream is over."""
        raise NotImplementedError

    # The pump's side.

    def next(self) -> Any:
        """Return results, EMPTY if there is none yet, None at the end."""
        out = self._results()
        demand = min(self.pump.demand() * self._scale, len(out) + 2 * self.most)
        self._limit = self._given + demand
        self._given += len(out)
        if self.failure is None:
            self.begin()
        if out:
            self._out = iter(out)
            return self._out
        if self.failure is not None:
            if self.busy():
                return EMPTY
            raise self.failure
        if self._over and self._begun == self._given and not self.busy():
            if self._error is not None:
                self.pump.alarm = self._error
                raise self._error  # which has its note
            return None
        return EMPTY

    def _results(self) -> list[Any]:
        results = self.results
        if not self.ordered:
            return [results.popleft() for _ in range(min(len(results), SLICE))]
        out: list[Any] = []
        while results and results[0] and len(out) < SLICE:
            out += results.popleft()
        return out

    def ended(self) -> bool:
        """Return whether upstream is through, and all results were given."""
        if not self._over and self._up.ended():
            self._over = True
        return (
            self._over
            and self._error is None
            and self.failure is None
            and self._begun == self._given
            and not self.busy()
            and certainly_empty(self._out)
        )

    def close(self) -> None:
        """Cancel what is under way, and close upstream."""
        self.closed = True
        try:
            self.stop()
        finally:
            self._batch = iter(EMPTY)
            self._up.close()

    # The calls' side.

    def room(self) -> int:
        """Return how many more may be begun now."""
        return min(self._limit - self._begun, self.most - self._begun + self.finished)

    def takes(self) -> bool:
        """Return whether anything would be taken from upstream if there were something."""
        return self.room() > 0 and not self._over and self.failure is None

    def waits_for(self) -> str:
        """Return what to tell of a run that waits for calls."""
        under_way = self._begun - self.finished
        return f"{under_way} of {self.most} calls are under way" if under_way else ""

    def pull(self) -> Call | None:
        """Return the next call to make, None if none may be made or nothing is there."""
        begun = self._begun
        if begun >= self._limit or begun - self.finished >= self.most or self._over:
            return None
        if self.failure is not None or self.closed:
            return None
        try:
            for x in self._batch:  # noqa: B007 - the quickest way to take one
                break
            else:
                x = self._first_of_next()
                if x is MISSING:
                    return None
            if x is None:
                raise _none_made(self.node.up)
        except BaseException as error:  # noqa: BLE001 - it comes when what is begun has ended
            self._over = True
            self._error = error
            if self._iterable and hasattr(self.node.up.op, "open"):  # type: ignore[union-attr]
                note(error, self.node.up)  # type: ignore[arg-type]
            return None
        self._begun = begun + 1
        key = None
        if self.per_key is not None:
            try:
                key = self.per_key(x)
                hash(key)
            except BaseException as error:  # noqa: BLE001 - it is the stream's
                self.fail(error)
                return None
        if not self.ordered:
            return x, None, key
        slot: list[Any] = []
        self.results.append(slot)
        return x, slot, key

    def _first_of_next(self) -> Any:
        """Return the first element of upstream's next batch, MISSING if there is none now."""
        while True:
            batch = self._up.next()
            if batch is None:
                self._over = True
                return MISSING
            if batch is EMPTY:
                return MISSING
            self._batch = batch = iter(batch)
            for x in batch:
                return x

    def give(self, call: Call, made: Any) -> None:
        """Put a result where it belongs. Raises `TypeError` for None."""
        if made is None:
            raise _none_made(self.node)
        slot = call[1]
        if slot is None:
            self.results.append(made)
        else:
            slot.append(made)

    def fail(self, error: BaseException) -> None:
        """End the stream with the first error, and report the others."""
        with self.lock:
            first = self.failure is None and not self.closed
            if first:
                note(error, self.node)
                self.failure = error
        if first:
            self.stop()
        else:
            penstock.on_dropped_error(error, f"{self.node.described()}, which was over")

    def idle(self) -> None:
        """Tell the pump that nothing is under way any more."""
        if self.closed:
            return
        if self.failure is not None:
            self.pump.alarm = self.failure
        self.pump.wake()


class _Taking(Inlet):
    """Asks for as much as may be begun."""

    __slots__ = ("_calls",)

    def __init__(self, pump: Pump, calls: Calls) -> None:
        super().__init__(pump, 1)
        self._calls = calls

    def _ask(self) -> None:
        self.window = self._calls.room()
        super()._ask()

    def ready(self) -> bool:
        """Return whether a call could begin, or the end be heard of, that could not before."""
        return self._calls.takes() and super().ready()


def _none_made(node: Node | None) -> TypeError:
    made = "a source" if node is None else node.described()
    remedy = "" if node is None else "; return the element, or use for_each"
    return TypeError(f"{made} made None, and None is never an element (rule 2.13){remedy}")


class MapAsync:
    """`map_async(fn, concurrency, ordered, per_key, on)`."""

    name = "map_async"
    awaits = False

    def open(self, node: Node, pump: Pump) -> Calls:
        """Return the head that makes the calls where they are to be made."""
        on = node.arguments[4]
        if on is not None and not isinstance(on, EventLoop):
            from penstock.runtime._jobs import JobCalls

            return JobCalls(node, pump, pump.wiring.lease(node, on))
        from penstock.runtime._tasks import TaskCalls

        lease: Any = pump.lease
        if on is not None:
            lease = pump.wiring.lease(node, on)
        elif not hasattr(lease, "loop"):
            lease = pump.wiring.lease(event_loop, event_loop())
        return TaskCalls(node, pump, lease)


MAP_ASYNC = MapAsync()
