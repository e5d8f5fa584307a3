"""Checks of a Publisher that serves one stream to several Subscribers."""

from __future__ import annotations

from typing import Any

from penstock.tck._check import check
from penstock.tck._checks.publisher_basics import BASICS
from penstock.tck._checks.publisher_raising import refuse_all
from penstock.tck._publisher_trial import PublisherTrial
from penstock.tck._watch import Watch
from penstock.testing._log import brief

__all__: list[str] = []


def _shared(trial: PublisherTrial, subscribers: int = 2) -> None:
    if not trial.knobs.multicast:
        trial.skip("it is not declared multicast (multicast=True)")
    if trial.knobs.max_subscribers < subscribers:
        trial.skip(f"max_subscribers is {trial.knobs.max_subscribers}")


@check("publisher", needs=BASICS)
def spec_R_01_all_get_the_same_elements(trial: PublisherTrial) -> None:
    """Subscribes three before anything is requested: all get the same, one at a time."""
    _shared(trial)
    n = trial.few(6)
    publisher = trial.publisher(n)
    count = min(3, trial.knobs.max_subscribers)
    watches = [trial.watch(publisher, f"subscriber {i + 1}") for i in range(count)]
    for step in range(1, n + 1):
        for watch in watches:
            watch.request(1)
        for watch in watches:
            _await_either(trial, watch, step)
    _expect_same(trial, watches)


@check("publisher", needs=BASICS)
def spec_R_01_pace_may_differ(trial: PublisherTrial) -> None:
    """Lets one Subscriber request all at once and another one by one: both get the same."""
    _shared(trial)
    n = trial.few(6)
    publisher = trial.publisher(n)
    fast, slow = trial.watch(publisher, "fast"), trial.watch(publisher, "slow")
    fast.request(n)
    for step in range(1, n + 1):
        slow.request(1)
        _await_either(trial, slow, step)
    _await_either(trial, fast, n)
    _expect_same(trial, [fast, slow])


@check("publisher", needs=BASICS)
def spec_R_01_who_cancels_takes_nothing_from_others(trial: PublisherTrial) -> None:
    """Cancels the first of three inside `on_next`: the others miss nothing."""
    _shared(trial, 3)
    n = trial.few(6, at_least=3)
    publisher = trial.publisher(n)

    def leave(watch: Watch, _: object) -> None:
        if watch.received == 2:
            watch.cancel()

    watches = [trial.watch(publisher, "first", when_next=leave)]
    watches += [trial.watch(publisher, name) for name in ("second", "third")]
    for step in range(1, n + 1):
        for watch in watches:
            watch.request(1)
        for watch in watches[1:]:
            _await_either(trial, watch, step)
    _expect_same(trial, watches[1:])
    _expect_prefix(trial, watches[0], watches[1])


@check("publisher", needs=BASICS)
def spec_2_13_raising_subscriber_harms_no_other(trial: PublisherTrial) -> None:
    """Raises in `on_next` of one Subscriber: the other one gets what it requested."""
    _shared(trial)
    n = trial.few(4, at_least=2)
    publisher = trial.publisher(n)
    raising = trial.watch(publisher, "raising", when_next=refuse_all)
    other = trial.watch(publisher, "other")
    for step in range(1, n + 1):
        raising.request(1)
        other.request(1)
        if not other.reaches(step):
            trial.fail("one Subscriber raised, and another one's elements stopped coming")
    if other.error is not None:
        trial.fail(f"one Subscriber raised, and another one got {brief(other.error)}")


def _await_either(trial: PublisherTrial, watch: Watch, n: int) -> None:
    """Wait for so many elements, or the end: who ends early is compared all the same."""
    trial.wait_until(lambda: watch.received >= n or watch.ended, renew=True)
    if watch.received < n and not watch.completed:
        watch.await_elements(n)


def _expect_same(trial: PublisherTrial, watches: list[Watch]) -> None:
    for other in watches[1:]:
        _expect_prefix(trial, watches[0], other)
        if watches[0].received != other.received:
            trial.fail(
                f"{watches[0].name} got {watches[0].received} elements before the end, "
                f"{other.name} {other.received}"
            )


def _expect_prefix(trial: PublisherTrial, first: Watch, other: Watch) -> None:
    for i, (mine, theirs) in enumerate(zip(first.elements, other.elements, strict=False), 1):
        if not _same(mine, theirs):
            trial.fail(
                f"element {i} was {brief(mine)} for {first.name}, {brief(theirs)} for {other.name}"
            )


def _same(mine: Any, theirs: Any) -> bool:
    return mine is theirs or bool(mine == theirs)


SAME = f"{BASICS} spec_R_01_all_get_the_same_elements"


@check("publisher", needs=BASICS)
def spec_R_02_newcomer_starts_with_the_oldest_left(trial: PublisherTrial) -> str:
    """Subscribes when a slow one has two elements and a fast one four.

    The newcomer misses none
    of those that are still to be delivered.
    """
    _shared(trial)
    n = trial.few(7, at_least=4)
    publisher = trial.publisher(n)
    slow = trial.watch(publisher, "slow")
    if trial.knobs.max_subscribers > 2 and not trial.knobs.coordinated_emission:
        fast = trial.watch(publisher, "fast")
        fast.request(4)
        slow.request(2)
        trial.wait_until(lambda: fast.received >= 4 or fast.ended, trial.env.quiet, renew=True)
    else:
        slow.request(2)
    slow.await_elements(2)
    newcomer = trial.watch(publisher, "newcomer")
    newcomer.request(n)
    slow.request(n - 2)
    slow.await_elements(n)
    trial.wait_until(lambda: newcomer.received >= n - 2 or newcomer.ended, renew=True)
    if newcomer.completed and not newcomer.received:
        trial.fail(
            f"the newcomer got on_complete and no element; {brief(slow.elements[2])} "
            "was still to be delivered when it came"
        )
    if not newcomer.received:
        trial.skip("the newcomer was not served")
    oldest = newcomer.elements[0]
    at = [i for i, element in enumerate(slow.elements) if _same(element, oldest)]
    if not at:
        trial.fail(f"the newcomer's {brief(oldest)} was never sent to the first one", "R.1")
    if at[0] > 2:
        trial.fail(
            f"the newcomer started with {brief(oldest)}; {brief(slow.elements[2])} "
            "was still to be delivered when it came"
        )
    for mine, theirs in zip(slow.elements[at[0] :], newcomer.elements, strict=False):
        if not _same(mine, theirs):
            trial.fail(f"the newcomer got {brief(theirs)} where others got {brief(mine)}", "R.1")
    return f"the newcomer started with element {at[0] + 1}"


@check("publisher", needs=SAME)
def spec_R_03_ends_with_its_last_subscriber(trial: PublisherTrial) -> str:
    """Cancels the only Subscriber; the next one finds a fresh run or none, not a late one."""
    _shared(trial, 1)
    if trial.knobs.keep_alive:
        trial.skip("it is declared to go on without Subscribers (keep_alive=True)")
    publisher = trial.publisher(trial.few(8, at_least=4))
    first = trial.watch(publisher, "first")
    first.request(2)
    first.await_elements(2)
    first.cancel()
    trial.stay_quiet()
    second = trial.watch(publisher, "second")
    second.request(1)
    second.await_something()
    if second.ended and not second.received:
        return "it has shut down"
    if not second.received:
        trial.skip("the next Subscriber got nothing")
    if not _same(first.elements[0], second.elements[0]):
        trial.fail(
            f"the run went on without Subscribers: the next one started with "
            f"{brief(second.elements[0])}, the first had started with {brief(first.elements[0])}"
        )
    return "it started a fresh run"


@check("publisher", needs=BASICS)
def spec_R_05_rejects_the_same_subscriber(trial: PublisherTrial) -> None:
    """Subscribes the same object twice: the second time it is told RuntimeError."""
    _shared(trial, 1)
    publisher = trial.publisher(trial.few(6, at_least=2))
    watch = trial.watch(publisher)
    watch.takes_second = True
    trial.instead = {"1.9": "R.5"}
    trial.subscribe(publisher, watch)
    trial.wait_until(lambda: watch.ended)
    if isinstance(watch.error, RuntimeError):
        return
    if watch.error is not None:
        trial.fail(f"it was rejected with {brief(watch.error)}, not with a RuntimeError")
    trial.fail("the same Subscriber was subscribed twice and was not rejected")


@check("publisher", needs=f"{BASICS} spec_R_05_rejects_the_same_subscriber")
def spec_R_05_rejection_spares_the_first(trial: PublisherTrial) -> None:
    """Subscribes the same object twice; it cancels the second: its first stream goes on."""
    _shared(trial, 1)
    publisher = trial.publisher(trial.few(6, at_least=2))
    watch = trial.watch(publisher)
    watch.takes_second = watch.cancels_second = True
    trial.subscribe(publisher, watch)
    trial.stay_quiet()
    if not watch.ended:
        watch.request(1)
        watch.await_something()
    if watch.ended or not watch.received:
        trial.fail("it cancelled the second subscription at once, and its first stream ended")
