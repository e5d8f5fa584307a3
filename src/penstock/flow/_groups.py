"""Operators that part a flow."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from penstock.flow._base import Base
from penstock.flow._check import callable_, count
from penstock.runtime._groups import GroupBy, Window

if TYPE_CHECKING:
    from penstock.flow._flow import Flow
    from penstock.flow._group import Group

__all__ = ["Groups"]

T_co = TypeVar("T_co", covariant=True)
K = TypeVar("K")

WINDOW = 16384
"""So large that a group gets many elements at a time also if there are a hundred groups."""


def _group(*parts: Any) -> Any:
    from penstock.flow._group import group_of  # it needs Flow, which needs this module

    return group_of(*parts)


def _piece(*parts: Any) -> Any:
    from penstock.flow._group import piece_of

    return piece_of(*parts)


_GROUP_BY = GroupBy(_group)
_WINDOW = Window(_piece)


class Groups(Base[T_co], Generic[T_co]):
    """The methods of `Flow` that part a flow."""

    __slots__ = ()

    def group_by(self, key: Callable[[T_co], K], window: int = WINDOW) -> Flow[Group[K, T_co]]:
        """Give a flow for each key, of the elements that `key(element)` is that for.

        The flows are `Group`s, which have the `key`; each can be subscribed to once. At most
        `window` elements wait in all of them. So all groups have to be subscribed to: if
        the window is full of elements of groups that nobody has subscribed to, while others
        have demand, the stream fails and names them: at once if `flat_map` has no room for
        more groups and all that it has are waiting for elements, and else when nothing has
        moved for five seconds.

        A group whose subscriber cancels is over; elements that it was not given, and later
        ones, open a new group, except that it uses up the one that it was opened for. (Once
        upstream has completed they are dropped, unless `flat_map` takes the groups, or others
        have subscribers.) When the flow of groups is cancelled, the groups that were given go
        on, and elements of other keys are dropped.

        Emits when an element has a key for which no group is open.
        Requests elements when the groups' subscribers or downstream have demand and nothing
            waits for them, until `window` elements are under way or wait.
        Completes when upstream completes and all groups were given; each group as well, once
            its elements were.
        Cancels upstream when downstream and the subscribers of all groups have cancelled. If
            `key` raises or upstream fails, all groups fail.

        Raises `TypeError` if `key` can't be called, `TypeError` or `ValueError` if `window` is
        no int of at least 1. The stream fails with `TypeError` if a key can't be hashed.

        >>> words = Flow.of("ant", "bee", "ape").group_by(lambda word: word[0])
        >>> sorted(words.flat_map(lambda group: group.to_list()).to_list().result())
        [['ant', 'ape'], ['bee']]
        """
        return self._junction(
            _GROUP_BY,
            callable_("group_by", "key", key),
            count("group_by", "window", window),
            inputs=(None,),
        )

    def window(self, size: int) -> Flow[Flow[T_co]]:
        """Give flows of `size` elements each, one after the other; the last may have fewer.

        Each can be subscribed to once. At most `size` elements wait in all of them, so each
        has to be subscribed to: if all that wait belong to windows that nobody has subscribed
        to, the stream fails, at once or after five seconds, as with `group_by`. What the
        subscriber of a window leaves when it cancels is dropped.

        Emits when an element comes in and no window is open.
        Requests elements when the windows' subscribers or downstream have demand and nothing
            waits for them, until `size` elements are under way or wait.
        Completes when upstream completes and all windows were given.
        Cancels upstream when downstream and the subscribers of all windows have cancelled. If
            upstream fails, the open window fails as well.

        Raises `TypeError` or `ValueError` if `size` is no int of at least 1.

        >>> Flow.range(5).window(2).flat_map(lambda few: few.to_list()).to_list().result()
        [[0, 1], [2, 3], [4]]
        """
        return self._junction(_WINDOW, count("window", "size", size), inputs=(None,))
