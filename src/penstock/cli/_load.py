"""Finding the object that `package.module:name` names."""

from __future__ import annotations

import difflib
import importlib
import inspect
import os
import sys
from collections.abc import Callable
from typing import Any

from penstock.cli._errors import UsageError

__all__ = ["load"]


def load(target: str, arguments: tuple[str, ...]) -> Callable[..., Any]:
    """Import what `target` names: something to be called with so many arguments.

    The current directory is importable. Raises `UsageError` if there is no such module or
    name, or if it can't be called so.
    """
    module_name, colon, path = target.partition(":")
    if not (module_name and colon and path):
        raise UsageError(
            f"{target!r} is not of the form package.module:name",
            "name the module as in an import, then what makes one: shop.stock:StockPublisher",
        )
    found: Any = _module(module_name)
    for name in path.split("."):
        found = _attribute(found, name, target)
    return _callable(found, target, arguments)


def _module(name: str) -> Any:
    here = os.getcwd()  # noqa: PTH109 - as sys.path wants it
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or name
        if name != missing and not name.startswith(f"{missing}."):
            raise UsageError(
                f"importing {name} failed: {error}", f"install {missing}, or mend that import"
            ) from error
        raise UsageError(
            f"there is no module {missing!r}",
            f"it is looked for in {here}, then where Python always looks",
        ) from error


def _attribute(owner: Any, name: str, target: str) -> Any:
    try:
        return getattr(owner, name)
    except AttributeError:
        names = [n for n in dir(owner) if not n.startswith("_")]
        near = difflib.get_close_matches(name, names, 3, 0.4)
        remedy = f"nearest: {', '.join(near)}" if near else "look for a typing error in the name"
        raise UsageError(f"{target}: there is no {name!r}", remedy) from None


def _callable(found: Any, target: str, arguments: tuple[str, ...]) -> Callable[..., Any]:
    told = f"it is called as {target.partition(':')[2]}({', '.join(arguments)})"
    if not callable(found):
        raise UsageError(f"{target} can't be called: it is {found!r:.60}", told)
    function: Callable[..., Any] = found
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError as error:
        raise UsageError(f"{target} has other arguments: {error}", told) from None
    except ValueError:  # some of C's have no signature: the call itself will tell
        return function
    return function
