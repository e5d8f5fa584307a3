"""The number subscriber of `examples/standard`, which extends the synchronous one."""

from __future__ import annotations

from typing import Any

import pytest
from standard_helpers import EXAMPLES, ManualSubscription

from number_subscriber import NumberSubscriber  # isort: skip
from range_publisher import RangePublisher  # isort: skip


def test_numbers_are_collected_and_summed() -> None:
    numbers = NumberSubscriber()
    RangePublisher(1, 101).subscribe(numbers)
    assert numbers.finished.is_set()
    assert (numbers.total, numbers.error) == (5050, None)
    assert numbers.numbers == list(range(1, 101))


@pytest.mark.parametrize("element", ["1", 1.0, True])
def test_other_elements_end_the_stream(element: Any) -> None:
    numbers, subscription = NumberSubscriber(), ManualSubscription()
    numbers.on_subscribe(subscription)
    numbers.on_next(1)
    numbers.on_next(element)
    assert subscription.cancels == 1
    assert numbers.numbers == [1]
    assert type(numbers.error) is TypeError
    assert numbers.finished.is_set()


def test_shutting_down_lets_those_who_wait_go_on() -> None:
    numbers = NumberSubscriber()
    numbers.on_subscribe(ManualSubscription())
    numbers.shut_down()
    assert numbers.finished.is_set()


def test_the_readme_tells_the_truth(capsys: pytest.CaptureFixture[str]) -> None:
    _, _, rest = (EXAMPLES / "README.md").read_text("utf-8").partition("```python\n")
    code, _, _ = rest.partition("```")
    exec(code, {})
    promised = code.rpartition("# ")[2]
    assert capsys.readouterr().out == promised
