"""Checks of `subscribe`: who may, how often, and what comes first."""

from __future__ import annotations

from penstock.tck._check import check
from penstock.tck._checks.publisher_basics import BASICS, SUBSCRIBES
from penstock.tck._publisher_trial import PublisherTrial
from penstock.tck._raised import raised
from penstock.tck._watch import Watch
from penstock.testing._log import brief

__all__: list[str] = []


@check("publisher")
def spec_1_09_subscribe_none_raises_type_error(trial: PublisherTrial) -> None:
    """Calls `subscribe(None)`, and sees it raise TypeError."""
    publisher = trial.publisher(trial.few(1, at_least=0))
    trial.log.add("kit", "subscribe(None)")
    try:
        with trial.calling("subscribe(None)", "1.9"):
            publisher.subscribe(None)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    except TypeError:
        return
    except Exception as error:  # noqa: BLE001 - any other kind is the breach
        trial.fail(f"subscribe(None) raised {raised(error)}, not a TypeError")
    trial.fail("subscribe(None) returned; it must raise TypeError")


@check("publisher", needs=SUBSCRIBES)
def spec_1_09_on_subscribe_comes_first(trial: PublisherTrial) -> None:
    """Subscribes to streams that are short, empty and failed: each begins with on_subscribe."""
    for n in sorted({trial.few(1, at_least=0), 0}):
        trial.watch(n, f"subscriber to {n}", when_subscribed=lambda watch: watch.request(1))
        trial.stay_quiet()
    if (failed := trial.failed_one()) is not None:
        trial.watch(failed, "subscriber to a failed one")
        trial.stay_quiet()


@check("publisher", needs=SUBSCRIBES)
def spec_1_09_rejects_after_on_subscribe(trial: PublisherTrial) -> str:
    """Subscribes two at once: the second one is served, or told after its on_subscribe."""
    publisher = trial.publisher(trial.few(3, at_least=0))
    trial.watch(publisher, "first")
    second = trial.watch(publisher, "second")
    trial.wait_until(lambda: second.ended, trial.env.quiet)
    return "the second was rejected" if second.error is not None else "the second was accepted"


@check("publisher", needs=BASICS)
def spec_1_09_subscribe_does_not_wait(trial: PublisherTrial) -> None:
    """Dwells in `on_next` of one Subscriber while another one subscribes elsewhere."""

    def waits() -> bool:
        publisher = trial.publisher(trial.few(2))
        returned: list[bool] = []

        def when_next(_: Watch, __: object) -> None:
            second = Watch(trial, "second")
            done = trial.on_thread("subscribe", lambda: trial.subscribe(publisher, second))
            returned.append(done.wait(trial.env.timeout / 2))

        first = trial.watch(publisher, "first", when_next=when_next)
        first.request(1)
        first.await_elements(1)
        trial.wait_until(lambda: bool(returned))
        return not returned[0]

    if trial.happens_twice(waits):
        trial.fail("subscribe() waited for another Subscriber's on_next to return", "R.8")


@check("publisher", needs=BASICS)
def spec_1_10_subscribes_any_number_of_times(trial: PublisherTrial) -> str:
    """Subscribes three in a row, to the end and cancelling: each hears what it is due."""
    n = trial.few(2)
    publisher = trial.publisher(n)
    rejected = 0
    for i in range(1, 4):
        watch = trial.watch(publisher, f"subscriber {i}")
        watch.request(1 if i == 2 else n + 1)
        watch.await_something()
        if not watch.received and not watch.ended:
            trial.fail(f"subscriber {i} of 3 in a row got neither an element nor the end")
        if i == 1:
            watch.await_length(n)
        rejected += watch.error is not None
        if not watch.over:
            watch.cancel()
    return f"{3 - rejected} of 3 Subscribers in a row were accepted"


@check("publisher", needs=BASICS)
def spec_1_11_may_serve_several_at_once(trial: PublisherTrial) -> str:
    """Subscribes two at the same time, and tells what each of them got."""
    if trial.knobs.max_subscribers < 2:
        trial.skip("max_subscribers is 1")
    publisher = trial.publisher(trial.few(3))
    watches = [trial.watch(publisher, f"subscriber {i}") for i in (1, 2)]
    for watch in watches:
        watch.request(1)
    trial.wait_until(lambda: all(w.received or w.ended for w in watches), renew=True)
    trial.stay_quiet()
    return "; ".join(
        f"{w.name}: " + (f"on_error({brief(w.error)})" if w.error else f"{w.received} elements")
        for w in watches
    )


class _Equal(Watch):
    """Compares equal to every other one; identity is what counts (rule 2.12)."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Equal)

    def __hash__(self) -> int:
        return 7


class _Unhashable(Watch):
    """Can be no key of a dict and no member of a set; nothing asks that of a Subscriber."""

    __hash__ = None  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]


@check("publisher", needs=SUBSCRIBES)
def spec_2_12_equal_subscribers_are_two(trial: PublisherTrial) -> None:
    """Subscribes two that compare equal: the second is treated as one that is different."""
    second = _second_of_two(trial, Watch)
    if not second.is_subscribed():
        trial.skip("it does not take a second Subscriber that is different, either")
    equal = _second_of_two(trial, _Equal)
    if not equal.is_subscribed():
        trial.fail("no on_subscribe came to the second of two Subscribers that are equal")
    if equal.error is not None and second.error is None:
        trial.fail(f"the second of two Subscribers that are equal got {brief(equal.error)}")


def _second_of_two(trial: PublisherTrial, kind: type[Watch]) -> Watch:
    publisher = trial.publisher(trial.few(3, at_least=0))
    for name in ("first", "second"):
        watch = kind(trial, name)
        trial.subscribe(publisher, watch)
    trial.wait_until(lambda: watch.ended, trial.env.quiet)
    return watch


@check("publisher", needs=SUBSCRIBES)
def spec_1_09_subscriber_need_not_be_hashable(trial: PublisherTrial) -> None:
    """Subscribes an object that can't be hashed: it is taken like any other."""
    watch = _Unhashable(trial)
    trial.subscribe(trial.publisher(trial.few(3, at_least=0)), watch)
    watch.await_subscription()
