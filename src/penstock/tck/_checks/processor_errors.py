"""Checks of how a Processor passes on the end of its upstream, well or badly."""

from __future__ import annotations

from penstock.tck._check import check
from penstock.tck._checks.processor_demand import FLOWS
from penstock.tck._processor_trial import ProcessorTrial
from penstock.tck._verdict import StreamError
from penstock.tck._watch import Watch
from penstock.testing._log import brief

__all__: list[str] = []


def _expect_error(trial: ProcessorTrial, watch: Watch, rule: str | None = None) -> None:
    trial.wait_until(lambda: watch.ended)
    if watch.completed:
        trial.fail("upstream failed and on_complete came, not on_error", rule)
    if watch.error is None:
        trial.fail("upstream failed and no on_error came", rule)


@check("processor")
def spec_4_02_error_is_passed_on_at_once(trial: ProcessorTrial) -> str:
    """Fails upstream before anything is requested: the error comes downstream at once."""
    upstream, _, watch = trial.pipe()
    upstream.finish(StreamError())
    _expect_error(trial, watch)
    trial.stay_quiet()
    return f"on_error({brief(watch.error)}) came"


@check("processor", needs=FLOWS)
def spec_4_02_error_does_not_wait_behind_elements(trial: ProcessorTrial) -> None:
    """Fails upstream while elements wait in the Processor for demand: the error comes first."""
    upstream, _, watch = trial.pipe()
    trial.fill(upstream, watch, 3)
    upstream.finish(StreamError())
    _expect_error(trial, watch)


@check("processor", needs=f"{FLOWS} spec_4_02_error_is_passed_on_at_once")
def spec_R_07_demanded_elements_precede_the_error(trial: ProcessorTrial) -> None:
    """Demands elements, sends them and fails upstream: they come, then the error."""
    upstream, _, watch = trial.pipe()
    watch.request(3)
    sent = trial.send(upstream, 3)
    upstream.finish(StreamError())
    _expect_error(trial, watch, "4.2")
    if watch.received < sent:
        trial.fail(f"of {sent} elements that were demanded and sent, {watch.received} came")


@check("processor", needs=f"{FLOWS} spec_4_02_error_is_passed_on_at_once")
def spec_R_07_error_overtakes_what_nobody_demanded(trial: ProcessorTrial) -> str:
    """Fails upstream while elements wait in the Processor: none of them comes any more."""
    upstream, _, watch = trial.pipe()
    waiting = trial.fill(upstream, watch, 3)
    upstream.finish(StreamError())
    _expect_error(trial, watch)
    watch.request(5)
    trial.stay_quiet()
    return f"{waiting} elements were waiting"


@check("processor")
def spec_1_04_late_subscriber_hears_of_the_failure(trial: ProcessorTrial) -> None:
    """Subscribes after upstream has failed: `on_subscribe` comes, then `on_error`."""
    processor = trial.processor()
    trial.feed(processor).finish(StreamError())
    watch = trial.watch(processor, "late subscriber")
    _expect_error(trial, watch)


@check("processor")
def spec_1_05_late_subscriber_hears_of_the_end(trial: ProcessorTrial) -> None:
    """Subscribes after upstream has completed: `on_subscribe` comes, then `on_complete`."""
    processor = trial.processor()
    trial.feed(processor).finish()
    watch = trial.watch(processor, "late subscriber")
    trial.wait_until(lambda: watch.ended)
    if not watch.ended:
        watch.request(1)
        trial.wait_until(lambda: watch.ended)
    if not watch.completed:
        trial.fail("upstream had completed, and no on_complete came to a late subscriber")


@check("processor", needs=FLOWS)
def spec_1_04_failure_reaches_all_subscribers(trial: ProcessorTrial) -> str:
    """Subscribes two and fails upstream: each of them hears of it."""
    if trial.knobs.max_subscribers < 2:
        trial.skip("max_subscribers is 1")
    upstream, processor, first = trial.pipe()
    second = trial.watch(processor, "second downstream")
    if trial.wait_until(lambda: second.ended, trial.env.quiet):
        trial.skip("it takes one Subscriber only")
    upstream.finish(StreamError())
    for watch in (first, second):
        trial.wait_until(lambda: first.ended and second.ended)
        if watch.error is None:
            trial.fail(f"upstream failed and {watch.name} was not told")
    return "both were told"


@check("processor", needs=FLOWS)
def spec_1_05_completion_follows_the_last_element(trial: ProcessorTrial) -> None:
    """Completes upstream while elements wait for demand: they come first, then the end."""
    upstream, _, watch = trial.pipe()
    waiting = trial.fill(upstream, watch, 3)
    upstream.finish()
    trial.stay_quiet()
    if watch.ended and waiting:
        trial.fail(f"on_complete came while {waiting} elements were waiting for demand")
    if not watch.ended:
        watch.request(waiting or 1)
        trial.wait_until(lambda: watch.ended or watch.received > waiting, renew=True)
    if watch.received < waiting + 1 and watch.ended:
        trial.fail(f"of {waiting + 1} elements {watch.received} came before the end")
    if not trial.wait_until(lambda: watch.ended):
        watch.request(1)
        if trial.wait_until(lambda: watch.ended):
            trial.fail("upstream had completed, yet on_complete waited for demand", "R.4")
    if not watch.completed:
        trial.fail("upstream completed and no on_complete came after the last element")


@check("processor", needs=FLOWS)
def spec_R_04_completes_when_upstream_has(trial: ProcessorTrial) -> None:
    """Completes upstream when nothing waits in the Processor: `on_complete` comes unasked."""
    upstream, _, watch = trial.pipe()
    watch.request(2)
    sent = trial.send(upstream, 2)
    watch.await_elements(sent, "3.8")
    upstream.finish()
    if not trial.wait_until(lambda: watch.ended):
        watch.request(1)
        if not trial.wait_until(lambda: watch.ended):
            trial.fail("upstream completed and no on_complete came", "1.5")
        trial.fail("upstream had completed, yet on_complete waited for one more request")
