"""The package's modules, read without importing them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src"


class Import(NamedTuple):
    """`import module`, or one name of `from module import name as bound`."""

    line: int
    module: str
    name: str = ""
    bound: str = ""


@dataclass(frozen=True)
class Module:
    """One file below src/penstock."""

    name: str
    path: Path

    def __str__(self) -> str:
        return self.name

    @property
    def is_public(self) -> bool:
        return not any(part.startswith("_") for part in self.name.split("."))

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.path.read_text(encoding="utf-8"), str(self.path))

    @cached_property
    def exports(self) -> list[str] | None:
        """What `__all__` lists; None if there is no such list to read."""
        for node in self.tree.body:
            match node:
                case (
                    ast.Assign(targets=[ast.Name(id="__all__")], value=ast.List() as listed)
                    | ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.List() as listed)
                ):
                    return ast.literal_eval(listed)
        return None

    @cached_property
    def assigned(self) -> dict[str, int]:
        """The names assigned at the top level, each with its statement's place in the body."""
        names: dict[str, int] = {}
        for place, node in enumerate(self.tree.body):
            match node:
                case ast.Assign(targets=targets):
                    names |= {t.id: place for t in targets if isinstance(t, ast.Name)}
                case ast.AnnAssign(target=ast.Name(id=name)):
                    names[name] = place
        return names

    @cached_property
    def defined(self) -> set[str]:
        """Every name that the top level defines, imported ones apart."""
        definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        return {n.name for n in self.tree.body if isinstance(n, definitions)} | set(self.assigned)

    @cached_property
    def imports(self) -> list[Import]:
        """Every import in the module, those inside functions too."""
        return list(self._imports())

    def _imports(self) -> Iterator[Import]:
        here = self.name.split(".")
        package = here if self.path.name == "__init__.py" else here[:-1]
        for node in ast.walk(self.tree):
            match node:
                case ast.Import(names=names):
                    yield from (Import(node.lineno, alias.name) for alias in names)
                case ast.ImportFrom(module=base, names=names, level=level):
                    above = package[: len(package) - level + 1] if level else []
                    module = ".".join([*above, base] if base else above)
                    for alias in names:
                        bound = alias.asname or alias.name
                        yield Import(node.lineno, module, alias.name, bound)

    def constant_is_documented(self, name: str) -> bool:
        """Whether a string follows the assignment of `name`, here or where it comes from."""
        if name in self.assigned:
            match self.tree.body[self.assigned[name] + 1 :]:
                case [ast.Expr(value=ast.Constant(value=str())), *_]:
                    return True
            return False
        source = next(one for one in self.imports if one.bound == name)
        return MODULES[source.module].constant_is_documented(source.name)


def _module(path: Path) -> Module:
    parts = path.relative_to(SRC).with_suffix("").parts
    return Module(".".join(parts[:-1] if parts[-1] == "__init__" else parts), path)


MODULES = {m.name: m for m in map(_module, sorted((SRC / "penstock").rglob("*.py")))}
