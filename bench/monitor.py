"""What `penstock.checked` costs per element, on a synchronous range publisher.

Run it as `python bench/monitor.py [--json]`. The plain and the watched stream take turns in each
round; of each, the fastest round counts. The subscriber either requests everything at
once, or in batches, or one element in each `on_next`: then every element brings a request.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import threading
import time

from penstock import UNBOUNDED, Publisher, Subscriber, Subscription, checked

ROUNDS = 5


class _Range(Publisher[int]):
    """A plain publisher of `stop` numbers, on the thread that requests."""

    def __init__(self, stop: int) -> None:
        self.stop = stop

    def subscribe(self, subscriber: Subscriber[int], /) -> None:
        subscriber.on_subscribe(_RangeSubscription(subscriber, self.stop))


class _RangeSubscription(Subscription):
    def __init__(self, subscriber: Subscriber[int], stop: int) -> None:
        self._subscriber: Subscriber[int] | None = subscriber
        self._lock = threading.Lock()
        self._demand = 0
        self._next = 0
        self._stop = stop
        self._draining = False

    def request(self, n: int, /) -> None:
        with self._lock:
            self._demand += n
            if self._draining:
                return
            self._draining = True
        while True:
            while (subscriber := self._subscriber) is not None and self._next < self._demand:
                i = self._next
                if i == self._stop:
                    break
                self._next = i + 1
                subscriber.on_next(i)
            with self._lock:
                if self._next < min(self._demand, self._stop) and self._subscriber:
                    continue
                self._draining = False
            if self._next == self._stop and subscriber is not None:
                self._subscriber = None
                subscriber.on_complete()
            return

    def cancel(self) -> None:
        self._subscriber = None


class _Count(Subscriber[int]):
    """Takes everything, in requests for `batch` elements."""

    def __init__(self, batch: int) -> None:
        self.batch = self.left = batch
        self.done = False

    def on_subscribe(self, subscription: Subscription, /) -> None:
        self.subscription = subscription
        subscription.request(self.batch)

    def on_next(self, element: int, /) -> None:  # noqa: ARG002 - it is only counted
        self.left -= 1
        if not self.left:
            self.left = self.batch
            self.subscription.request(self.batch)

    def on_error(self, error: Exception, /) -> None:
        raise error

    def on_complete(self) -> None:
        self.done = True


def run(publisher: Publisher[int], batch: int) -> float:
    """Return the seconds that one whole stream takes."""
    subscriber = _Count(batch)
    start = time.perf_counter()
    publisher.subscribe(subscriber)
    taken = time.perf_counter() - start
    assert subscriber.done
    return taken


def best(count: int, batch: int, repeat: int = 1) -> tuple[float, float]:
    """Return the best seconds per stream of `count` elements, plain and watched."""
    plain: Publisher[int] = _Range(count)
    watched = checked(plain, "raise")
    taken: dict[Publisher[int], float] = {}
    for publisher in (plain, watched) * ROUNDS:
        gc.collect()
        seconds = sum(run(publisher, batch) for _ in range(repeat)) / repeat
        taken[publisher] = min(seconds, taken.get(publisher, seconds))
    return taken[plain], taken[watched]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--elements", type=int, default=200_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    count: int = options.elements

    rows: list[dict[str, str | float]] = []
    for name, batch in (("all at once", UNBOUNDED), ("100 at a time", 100), ("one by one", 1)):
        plain, watched = (seconds / count * 1e9 for seconds in best(count, batch))
        rows.append(
            {
                "requests": name,
                "plain_ns": round(plain, 1),
                "checked_ns": round(watched, 1),
                "added_ns": round(watched - plain, 1),
                "ratio": round(watched / plain, 2),
            }
        )
    plain, watched = best(0, 1, repeat=2000)
    stream = {"plain_us": round(plain * 1e6, 1), "checked_us": round(watched * 1e6, 1)}

    if options.json:
        result = {"python": sys.version, "elements": count, "rows": rows, "empty_stream": stream}
        print(json.dumps(result, indent=2))
        return
    print(f"Python {sys.version.split()[0]}, {count} elements, best of {ROUNDS} interleaved rounds")
    print(f"{'requests':<14} {'plain':>9} {'checked':>9} {'added':>9} {'ratio':>6}   per element")
    for row in rows:
        print(
            f"{row['requests']:<14} {row['plain_ns']:>6} ns {row['checked_ns']:>6} ns "
            f"{row['added_ns']:>6} ns {row['ratio']:>6}"
        )
    print(f"a stream without elements: {stream['plain_us']} us, {stream['checked_us']} us checked")


if __name__ == "__main__":
    main()
