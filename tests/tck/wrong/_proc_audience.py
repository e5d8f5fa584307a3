"""A correct Processor for many Subscribers, to derive wrong ones from."""

from __future__ import annotations

from functools import partial
from typing import Any

import penstock
from tests.tck.wrong._proc_base import End, Identity, Job, Line, bad, tell, turn_away


class Audience(Identity):
    """A correct one for many Subscribers, which move at the pace of the slowest.

    `line` is any of them: the others are beside it in `lines`. Who comes later starts with
    the element that is next for all.
    """

    def __init__(self, window: int) -> None:
        super().__init__(window)
        self.lines: list[Line] = []

    def subscribe(self, subscriber: Any) -> None:
        if subscriber is None:
            raise TypeError("subscribe(None): rule 1.9")
        with self.lock:
            answer = self.left
            if any(line.subscriber is subscriber for line in self.lines):
                answer = "on_error", RuntimeError("this Subscriber is subscribed already")
            if answer is None:
                self.lines.append(self.new_line(subscriber))
        if answer is None:
            self.wake()
        else:
            self.guard(partial(turn_away, subscriber, answer))

    def requested(self, line: Line, n: Any) -> None:
        with self.lock:
            if not self.has(line):
                return
            error = bad(n)
            if error is None:
                self.add(line, n)
                self.wanted = True
            else:
                line.error = line.error or error
        self.wake()

    def cancelled(self, line: Line) -> None:
        with self.lock:
            if self.has(line):
                self.drop(line)
        self.wake()

    def has(self, line: Line) -> bool:
        return any(line is other for other in self.lines)

    def drop(self, line: Line) -> None:
        self.lines = [other for other in self.lines if other is not line]
        line.subscriber = None
        if not self.lines and self.left is None:
            self.left = self.end or ("on_error", RuntimeError("the last Subscriber has left"))
            self.buffer.clear()

    def next_signal(self) -> Job | None:
        for line in self.lines:
            subscriber = line.subscriber
            if not line.greeted:
                line.greeted = True
                return partial(self.guard_line, line, partial(subscriber.on_subscribe, line))
            if line.error is not None:
                self.drop(line)
                return partial(subscriber.on_error, line.error)
        if self.buffer and self.lines and all(line.demand > 0 for line in self.lines):
            return self.emit_to_all()
        if self.end is not None and self.lines and self.may_end():
            return self.last_signals(self.end)
        return None

    def emit_to_all(self) -> Job:
        element = self.buffer.popleft()
        for line in self.lines:
            line.demand -= 1
        return partial(self.send, element, self.lines.copy())

    def send(self, element: Any, lines: list[Line]) -> None:
        for line in lines:
            subscriber = line.subscriber
            if subscriber is not None:
                self.guard_line(line, partial(subscriber.on_next, element))

    def last_signals(self, end: End) -> Job:
        subscribers = [line.subscriber for line in self.lines]
        self.left = end
        for line in self.lines.copy():
            self.drop(line)
        self.buffer.clear()
        return partial(self.tell_all, subscribers, end)

    def tell_all(self, subscribers: list[Any], end: End) -> None:
        for subscriber in subscribers:
            self.guard(partial(tell, subscriber, end))

    def guard_line(self, line: Line, job: Job) -> None:
        try:
            job()
        except BaseException as error:
            self.cancelled(line)
            if not isinstance(error, Exception):
                raise
            penstock.on_dropped_error(error, "a processor's Subscriber")
