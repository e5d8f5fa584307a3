"""Tells by their methods what objects are."""

from __future__ import annotations

__all__ = ["PUBLISHER", "SUBSCRIBER", "SUBSCRIPTION", "lacks", "refusal"]

PUBLISHER = ("subscribe",)
SUBSCRIBER = ("on_subscribe", "on_next", "on_error", "on_complete")
SUBSCRIPTION = ("request", "cancel")


def lacks(target: object, methods: tuple[str, ...]) -> list[str]:
    """Return those of `methods` that `target` does not have."""
    # Not isinstance: newer versions of Python look at the class only, but a foreign object
    # may make its methods as they are asked for.
    return [name for name in methods if not callable(getattr(target, name, None))]


def refusal(target: object) -> str:
    """Return why `target` can't be watched, and what to do about it."""
    if isinstance(target, type):
        return f"checked() got the class {target.__qualname__}: make an instance and pass that"
    if not lacks(target, SUBSCRIPTION):
        return (
            f"checked() got {target!r}, a Subscription: "
            "pass its Publisher or its Subscriber, then it is watched as well"
        )
    missing = lacks(target, SUBSCRIBER)
    if len(missing) < len(SUBSCRIBER):
        return f"checked() got {target!r}: to be a Subscriber it lacks {', '.join(missing)}"
    return (
        f"checked() got {target!r}: pass a Publisher (it has subscribe), "
        f"a Subscriber (it has {', '.join(SUBSCRIBER)}), or a Processor (it has all of them)"
    )
