"""Runs checks, each on a thread of its own, so that one that hangs takes nothing with it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from penstock.spec import RULES
from penstock.tck._check import Check
from penstock.tck._trial import Trial, where_is
from penstock.tck._verdict import Broken, OnPurpose, Outcome, Skipped, Stopped, Violation

__all__ = ["History", "run_check", "run_checks"]

_POLL = 0.02
_NEEDS = "needs what"


@dataclass
class History:
    """What earlier checks of the same implementation could not bring to an end."""

    undecided: dict[str, str] = field(default_factory=dict[str, str])
    stuck: str = ""
    """The author's function that does not return, if there is one."""

    def obstacle(self, check: Check) -> str | None:
        """Return why `check` can't be decided, if one it needs could not be completed."""
        if self.stuck:
            return f"{_NEEDS} {self.stuck} makes, which did not return"
        for name in check.needs:
            if name in self.undecided:
                why = self.undecided[name].partition("\n")[0]
                # What has an obstacle of its own passes that on, not a chain of them.
                return why if why.startswith(_NEEDS) else f"{_NEEDS} {name} could not find: {why}"
        return None


def run_checks(checks: Iterable[Check], make_trial: Callable[[Check], Trial]) -> list[Outcome]:
    """Run all checks, in order, and return their outcomes.

    Raises what the author's own factories raise.
    """
    history = History()
    outcomes: list[Outcome] = []
    for check in checks:
        outcomes += run_check(check, make_trial, history)
    return outcomes


def run_check(
    check: Check, make_trial: Callable[[Check], Trial], history: History
) -> list[Outcome]:
    """Run one check and return one outcome, or two if another rule broke meanwhile."""
    obstacle = history.obstacle(check)
    if obstacle is not None:
        history.undecided[check.name] = obstacle
        return [Outcome(check.rule, check.name, "skipped", obstacle)]
    trial = make_trial(check)
    if check.stochastic and not trial.knobs.stochastic:
        return [Outcome(check.rule, check.name, "skipped", "stochastic checks are off")]
    run = _Run(check, trial)
    logger = logging.getLogger("penstock")
    logger.addFilter(_is_no_news)
    try:
        end = run.drive()
    finally:
        logger.removeFilter(_is_no_news)
    if end.factory_error is not None:
        history.stuck = end.stuck
        raise end.factory_error
    if end.broken is not None:
        history.undecided[check.name] = end.broken.observed
    elif end.given_up is not None:
        history.undecided[check.name] = end.given_up
    return run.outcomes(end)


def _is_no_news(record: logging.LogRecord) -> bool:
    """Keep the errors that the kit makes out of the log of dropped ones."""
    return not (record.exc_info and isinstance(record.exc_info[1], OnPurpose))


@dataclass
class _End:
    """How a check's body ended."""

    seen: str = ""
    broken: Broken | None = None
    skipped: str | None = None
    given_up: str | None = None
    factory_error: BaseException | None = None
    stuck: str = ""


class _Run:
    """One check's body on its thread, watched from the caller's."""

    def __init__(self, check: Check, trial: Trial) -> None:
        self.check = check
        self.trial = trial
        self.end: _End | None = None
        self._lock = threading.Lock()
        self._done = threading.Event()

    def drive(self) -> _End:
        name = f"penstock-tck {self.check.name}"
        thread = threading.Thread(target=self._body, name=name, daemon=True)
        thread.start()
        last_moment = time.monotonic() + 20 * self.trial.env.timeout + self.trial.env.grace
        while not self._done.wait(_POLL):
            call = self.trial.hanging_call()
            if call is not None:
                what = f"{call.what} does not return; it is at\n{where_is(call.thread)}"
                end = _End(broken=Broken(call.rule_if_it_hangs, what))
            elif time.monotonic() > last_moment:
                end = self._too_late(thread.ident or 0)
            else:
                continue
            # What the body still does, once it is let go, is no verdict on anything.
            self._ended(end)
            self.trial.abandon()
            break
        if self.end is None:
            raise RuntimeError(f"check {self.check.name} ended without a verdict")
        return self.end

    def _too_late(self, thread: int) -> _End:
        asked = self.trial.open_question()
        if asked is None:
            late = f"not finished in time; it is at\n{where_is(thread)}"
            return _End(skipped=late, given_up=late)
        seconds = time.monotonic() - asked.began
        told = f"{asked.what} has not returned for {seconds:.0f} s; it is at"
        error = TimeoutError(f"{told}\n{where_is(asked.thread)}")
        return _End(factory_error=error, stuck=asked.what)

    def _ended(self, end: _End) -> None:
        with self._lock:
            self.end = self.end or end

    def _body(self) -> None:
        end = _End()
        try:
            end.seen = self.check.body(self.trial) or ""
        except Broken as broken:
            end.broken = broken
        except Skipped as skipped:
            end.skipped = str(skipped)
        except Stopped:
            pass
        except BaseException as error:  # noqa: BLE001 - raised to the caller by run_check
            end.factory_error = error
        try:
            self.trial.close()
        except (Skipped, Stopped):
            pass
        except BaseException as error:  # noqa: BLE001 - raised to the caller by run_check
            end.factory_error = end.factory_error or error
        self._ended(end)
        self._done.set()

    def outcomes(self, end: _End) -> list[Outcome]:
        own, name = self.check.rule, self.check.name
        violations = self.trial.violations.copy()
        if end.broken is not None:
            log = self.trial.log.tail()
            violations.append(Violation(end.broken.rule, end.broken.observed, log))
        if violations:
            first = violations[0]
            rule = reported(first.rule)
            broken = Outcome(rule, name, "broken", first.observed, first.log)
            if rule == reported(own):
                return [broken]
            why = f"rule {rule} broke before this could be decided"
            return [broken, Outcome(own, name, "skipped", why)]
        if end.skipped is not None:
            return [Outcome(own, name, "skipped", end.skipped)]
        return [Outcome(own, name, "kept", end.seen)]


def reported(rule: str) -> str:
    """Return the rule as which a breach of `rule` is reported."""
    return RULES[rule].reported_as or rule
