"""Operators that let some elements pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeGuard, TypeVar, overload

from penstock.api import Publisher
from penstock.flow._base import Base, as_flow
from penstock.flow._check import callable_, count, element_, flag
from penstock.runtime._sources import Known
from penstock.runtime._stage import Stage
from penstock.runtime._stage_names import MISSING
from penstock.runtime._switch_if_empty import SWITCH_IF_EMPTY
from penstock.runtime._take_until import TAKE_UNTIL

if TYPE_CHECKING:
    from penstock.flow._flow import Flow

__all__ = ["Select"]

T_co = TypeVar("T_co", covariant=True)
R = TypeVar("R")
S = TypeVar("S")


def _nothing(_n: int) -> tuple[()]:
    return ()


FILTER = Stage("filter", ("f",), body=("if not @f(x): skip",))
FILTER_MAP = Stage("filter_map", ("f",), body=("x = @f(x)", "if x is None: skip"))
TAKE_NONE = Known("take", _nothing)
TAKE = Stage("take", ("n",), ("@left = @n",), ("@left -= 1",), after=("if not @left: finish",))
TAKE_LAST = Stage(
    "take_last",
    ("n",),
    ("@last = deque(maxlen=@n)", "@append = @last.append"),
    ("@append(x)",),
    flush=("@last",),
    swallows=True,
)
TAKE_WHILE = Stage("take_while", ("f",), body=("if not @f(x): finish",))
TAKE_WHILE_INCLUSIVE = Stage(
    "take_while", ("f", "inclusive"), body=("@last = not @f(x)",), after=("if @last: finish",)
)
SKIP = Stage("skip", ("n",), ("@left = @n",), ("if @left:", "    @left -= 1", "    skip"))
SKIP_LAST = Stage(
    "skip_last",
    ("n",),
    ("@held = deque()", "@append = @held.append", "@oldest = @held.popleft"),
    ("@append(x)", "if len(@held) <= @n: skip", "x = @oldest()"),
)
SKIP_WHILE = Stage(
    "skip_while",
    ("f",),
    ("@skipping = True",),
    ("if @skipping:", "    if @f(x): skip", "    @skipping = False"),
)

_REMEMBER = (
    "@add(@id)",
    "@append(@id)",
    "if len(@order) > @bound: @forget(@oldest())",
)
_MEMORY = (
    "@seen = set()",
    "@add = @seen.add",
    "@forget = @seen.discard",
    "@order = deque()",
    "@append = @order.append",
    "@oldest = @order.popleft",
)
DISTINCT = Stage("distinct", ("bound",), _MEMORY, ("if x in @seen: skip", "@id = x", *_REMEMBER))
DISTINCT_BY = Stage(
    "distinct",
    ("key", "bound"),
    _MEMORY,
    ("@id = @key(x)", "if @id in @seen: skip", *_REMEMBER),
)
DISTINCT_UNTIL_CHANGED = Stage(
    "distinct_until_changed",
    (),
    ("@fresh = True", "@last = None"),
    ("if @fresh:", "    @fresh = False", "elif x == @last: skip", "@last = x"),
)
DISTINCT_UNTIL_CHANGED_BY = Stage(
    "distinct_until_changed",
    ("key",),
    ("@fresh = True", "@last = None"),
    (
        "@id = @key(x)",
        "if @fresh:",
        "    @fresh = False",
        "elif @id == @last: skip",
        "@last = @id",
    ),
)
_COUNT_DOWN = ("if @left:", "    @left -= 1", "    skip", "@found = True")
_TOO_SHORT = "f'element_at({@n}): the stream ended {@left + 1} too early; give a default'"
ELEMENT_AT = Stage(
    "element_at",
    ("n",),
    ("@left = @n", "@found = False"),
    _COUNT_DOWN,
    after=("finish",),
    flush=(f"if not @found: raise IndexError({_TOO_SHORT})", "()"),
)
ELEMENT_AT_OR = Stage(
    "element_at",
    ("n", "default"),
    ("@left = @n", "@found = False"),
    _COUNT_DOWN,
    after=("finish",),
    flush=("() if @found else (@default,)",),
)
DEFAULT_IF_EMPTY = Stage(
    "default_if_empty",
    ("element",),
    ("@empty = True",),
    ("@empty = False",),
    flush=("(@element,) if @empty else ()",),
)


class Select(Base[T_co], Generic[T_co]):
    """The methods of `Flow` that let some elements pass."""

    __slots__ = ()

    @overload
    def filter(self, predicate: Callable[[T_co], TypeGuard[R]]) -> Flow[R]: ...

    @overload
    def filter(self, predicate: Callable[[T_co], object]) -> Flow[T_co]: ...

    def filter(self, predicate: Callable[[T_co], object]) -> Flow[Any]:
        """Let the elements pass for which `predicate(element)` is true.

        Emits when an element comes in that passes.
        Requests when there is demand, until it is met.
        Completes when upstream completes.
        Cancels when downstream cancels or `predicate` raises.

        Raises `TypeError` if `predicate` can't be called.

        >>> Flow.range(5).filter(lambda n: n % 2).to_list().result()
        [1, 3]
        """
        return self._stage(FILTER, callable_("filter", "predicate", predicate))

    def filter_map(self, fn: Callable[[T_co], R | None]) -> Flow[R]:
        """Give `fn(element)` for each element for which it isn't None.

        Emits when an element comes in of which `fn` makes one.
        Requests when there is demand, until it is met.
        Completes when upstream completes.
        Cancels when downstream cancels or `fn` raises.

        Raises `TypeError` if `fn` can't be called.

        >>> ages = {"Ada": 36, "Grace": 85}
        >>> Flow.of("Ada", "Alan", "Grace").filter_map(ages.get).to_list().result()
        [36, 85]
        """
        return self._stage(FILTER_MAP, callable_("filter_map", "fn", fn))

    def take(self, n: int) -> Flow[T_co]:
        """Let the first `n` elements pass, then end.

        Emits when an element comes in.
        Requests when there is demand, as much; an iterable is never asked for one more than
            `n`.
        Completes with the last of the `n` elements, or when upstream completes before; at
            once, and without looking upstream, if `n` is 0.
        Cancels when it has `n` elements, or downstream cancels.

        Raises `TypeError` if `n` is no int, `ValueError` if it is negative.

        >>> Flow.range(1000).take(2).to_list().result()
        [0, 1]
        """
        if count("take", "n", n, least=0):
            return self._stage(TAKE, n)
        return self._instead(TAKE_NONE, n)

    def take_last(self, n: int) -> Flow[T_co]:
        """Let the last `n` elements pass, which are held until upstream ends.

        Emits when upstream has completed.
        Requests all there is from the first demand on; at most `n` elements are held.
        Completes with the last element.
        Cancels when downstream cancels.

        Raises `TypeError` if `n` is no int, `ValueError` if it is negative.

        >>> Flow.range(1000).take_last(2).to_list().result()
        [998, 999]
        """
        return self._stage(TAKE_LAST, count("take_last", "n", n, least=0))

    def take_while(
        self, predicate: Callable[[T_co], object], *, inclusive: bool = False
    ) -> Flow[T_co]:
        """Let elements pass until `predicate(element)` is false, then end.

        With `inclusive`, the element for which it is false passes as well.

        Emits when an element comes in that passes.
        Requests when there is demand, as much.
        Completes when `predicate` says so, or when upstream completes.
        Cancels when `predicate` says so or raises, or downstream cancels.

        Raises `TypeError` if `predicate` can't be called or `inclusive` is no bool.

        >>> Flow.of(1, 2, 9, 3).take_while(lambda n: n < 5).to_list().result()
        [1, 2]
        >>> Flow.of(1, 2, 9, 3).take_while(lambda n: n < 5, inclusive=True).to_list().result()
        [1, 2, 9]
        """
        callable_("take_while", "predicate", predicate)
        if flag("take_while", "inclusive", inclusive):
            return self._stage(TAKE_WHILE_INCLUSIVE, predicate, inclusive)
        return self._stage(TAKE_WHILE, predicate)

    def take_until(self, other: Publisher[object]) -> Flow[T_co]:
        """Let elements pass until `other` gives an element or completes, then end.

        Both are subscribed to at once. If `other` fails, so does this stream.

        Emits when an element comes in.
        Requests when there is demand, as much; and one element of `other`, at once.
        Completes when `other` gives an element or completes, or when upstream completes;
            elements that came in but were not asked for are dropped then.
        Cancels both when either ends or downstream cancels.

        Raises `TypeError` if `other` is no Publisher and no iterable.

        >>> bell = ManualPublisher()
        >>> probe = Probe(Flow.never().take_until(bell))
        >>> bell.emit("ding")
        >>> probe.completed
        True
        """
        return self._junction(TAKE_UNTIL, as_flow(other, "take_until"), inputs=(None,))

    def skip(self, n: int) -> Flow[T_co]:
        """Drop the first `n` elements.

        Emits when an element comes in after that.
        Requests when there is demand, and `n` elements more.
        Completes when upstream completes.
        Cancels when downstream cancels.

        Raises `TypeError` if `n` is no int, `ValueError` if it is negative.

        >>> Flow.range(4).skip(2).to_list().result()
        [2, 3]
        """
        return self._stage(SKIP, count("skip", "n", n, least=0))

    def skip_last(self, n: int) -> Flow[T_co]:
        """Drop the last `n` elements: each is held until `n` others have come after it.

        Emits when an element comes in: the one that came `n` before it.
        Requests when there is demand, and `n` elements more, which are held.
        Completes when upstream completes.
        Cancels when downstream cancels.

        Raises `TypeError` if `n` is no int, `ValueError` if it is negative.

        >>> Flow.range(4).skip_last(2).to_list().result()
        [0, 1]
        """
        return self._stage(SKIP_LAST, count("skip_last", "n", n, least=0))

    def skip_while(self, predicate: Callable[[T_co], object]) -> Flow[T_co]:
        """Drop elements until `predicate(element)` is false for one; it and all others pass.

        Emits when an element comes in after that, or with that.
        Requests when there is demand, until it is met.
        Completes when upstream completes.
        Cancels when downstream cancels or `predicate` raises.

        Raises `TypeError` if `predicate` can't be called.

        >>> Flow.of(1, 2, 9, 3).skip_while(lambda n: n < 5).to_list().result()
        [9, 3]
        """
        return self._stage(SKIP_WHILE, callable_("skip_while", "predicate", predicate))

    def distinct(
        self, key: Callable[[T_co], object] | None = None, *, bound: int = 100_000
    ) -> Flow[T_co]:
        """Drop elements that came before: that are equal, or whose `key(element)` is.

        At most `bound` keys are remembered. When there are more, the one that was first seen
        longest ago is forgotten, and an element with it passes once more.

        Emits when an element comes in that is new.
        Requests when there is demand, until it is met.
        Completes when upstream completes.
        Cancels when downstream cancels or `key` raises.

        Raises `TypeError` if `key` can't be called or `bound` is no int, `ValueError` if `bound`
        is less than 1. The stream fails with `TypeError` at a key that has no hash.

        >>> Flow.of(3, 1, 3, 2, 1).distinct().to_list().result()
        [3, 1, 2]
        >>> Flow.of("a", "B", "b").distinct(str.lower).to_list().result()
        ['a', 'B']
        """
        count("distinct", "bound", bound)
        if key is None:
            return self._stage(DISTINCT, bound)
        return self._stage(DISTINCT_BY, callable_("distinct", "key", key), bound)

    def distinct_until_changed(self, key: Callable[[T_co], object] | None = None) -> Flow[T_co]:
        """Drop elements that equal the one before, or whose `key(element)` does.

        Emits when an element comes in that differs.
        Requests when there is demand, until it is met.
        Completes when upstream completes.
        Cancels when downstream cancels or `key` raises.

        Raises `TypeError` if `key` can't be called.

        >>> Flow.of(1, 1, 2, 1).distinct_until_changed().to_list().result()
        [1, 2, 1]
        """
        if key is None:
            return self._stage(DISTINCT_UNTIL_CHANGED)
        callable_("distinct_until_changed", "key", key)
        return self._stage(DISTINCT_UNTIL_CHANGED_BY, key)

    def element_at(self, n: int, default: S = MISSING) -> Flow[T_co | S]:
        """Let the one element pass that `n` others came before.

        Emits when that element comes in; `default`, if there is one, when upstream completes
            too early.
        Requests at the first demand, `n + 1` elements.
        Completes with that element.
        Cancels when it has that element, or downstream cancels.

        Raises `TypeError` if `n` is no int or `default` is None, `ValueError` if `n` is negative.
        The stream fails with `IndexError` if it is too short and there is no default.

        >>> Flow.of("a", "b", "c").element_at(1).to_list().result()
        ['b']
        >>> Flow.of("a").element_at(1, default="z").to_list().result()
        ['z']
        """
        count("element_at", "n", n, least=0)
        if default is MISSING:
            return self._stage(ELEMENT_AT, n)
        return self._stage(ELEMENT_AT_OR, n, element_("element_at", "default", default))

    def default_if_empty(self, element: S) -> Flow[T_co | S]:
        """Give `element` if there is no other.

        Emits when an element comes in, or upstream has completed without one.
        Requests when there is demand, as much.
        Completes when upstream completes, or with `element`.
        Cancels when downstream cancels.

        Raises `TypeError` if `element` is None.

        >>> Flow.empty().default_if_empty(0).to_list().result()
        [0]
        """
        return self._stage(DEFAULT_IF_EMPTY, element_("default_if_empty", "element", element))

    def switch_if_empty(self, other: Publisher[T_co]) -> Flow[T_co]:
        """Give the elements of `other` if there are none here.

        `other` is subscribed to at the first demand after upstream completed without an element.

        Emits when an element comes in.
        Requests when there is demand, as much.
        Completes when upstream completes, or `other` if it stands in.
        Cancels when downstream cancels.

        Raises `TypeError` if `other` is no Publisher and no iterable.

        >>> Flow.empty().switch_if_empty(Flow.of(1, 2)).to_list().result()
        [1, 2]
        """
        other_flow = as_flow(other, "switch_if_empty")
        return self._junction(SWITCH_IF_EMPTY, other_flow, inputs=(other_flow,))

    def _instead(self, op: Known, *arguments: Any) -> Flow[Any]:
        """Return a source that runs where this flow does, which is not looked at."""
        flow = self._junction(op, *arguments, up=3)
        flow.up = None
        flow.depth = 1
        return flow
