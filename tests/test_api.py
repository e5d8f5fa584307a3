"""The four interfaces: as base classes, by structure, and as type checkers see them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from abc import ABC
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock import UNBOUNDED, Processor, Publisher, Subscriber, Subscription
from penstock.testing import ManualPublisher, Probe

SRC = Path(penstock.__file__).parents[1]
SNIPPETS = Path(__file__).parent / "typing_snippets"

METHODS: dict[type, tuple[str, ...]] = {
    Publisher: ("subscribe",),
    Subscriber: ("on_subscribe", "on_next", "on_error", "on_complete"),
    Subscription: ("request", "cancel"),
    Processor: ("on_subscribe", "on_next", "on_error", "on_complete", "subscribe"),
}

each_interface = pytest.mark.parametrize("interface", METHODS, ids=lambda i: i.__name__)
each_method = pytest.mark.parametrize(
    ("interface", "method"),
    [(interface, method) for interface, methods in METHODS.items() for method in methods],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)


def does_nothing(self: object, *args: object, **kwargs: object) -> None:
    """A method of a foreign class, which calls its parameters what it likes."""


def a_class(base: type, methods: tuple[str, ...], **more: Any) -> type:
    return type("Made", (base,), dict.fromkeys(methods, does_nothing) | more)


# As base classes.


@each_interface
def test_a_subclass_with_all_methods_is_an_instance(interface: type) -> None:
    assert isinstance(a_class(interface, METHODS[interface])(), interface)


@each_method
def test_a_subclass_that_forgets_a_method_cannot_be_made(interface: type, method: str) -> None:
    others = tuple(name for name in METHODS[interface] if name != method)
    with pytest.raises(TypeError, match=f"abstract.*{method}"):
        a_class(interface, others)()


@each_interface
def test_an_interface_itself_cannot_be_made(interface: type) -> None:
    with pytest.raises(TypeError):
        interface()


@each_interface
def test_a_subclass_keeps_its_constructor(interface: type) -> None:
    def init(self: Any, value: int) -> None:
        super(made, self).__init__()
        self.value = value

    made = a_class(interface, METHODS[interface], __init__=init)
    assert made(3).value == 3


@each_interface
def test_a_subclass_may_do_without_a_dict(interface: type) -> None:
    made = a_class(interface, METHODS[interface], __slots__=("taken",))()
    made.taken = 1
    assert not hasattr(made, "__dict__")


def test_a_processor_is_both_of_its_roles() -> None:
    made = a_class(Processor, METHODS[Processor])()
    assert isinstance(made, Subscriber)
    assert isinstance(made, Publisher)
    assert not isinstance(made, Subscription)


def test_a_class_may_play_several_parts_and_be_abstract_itself() -> None:
    class Stage(Subscription, Processor[int, str], ABC):
        """Abstract as long as it has no methods."""

    with pytest.raises(TypeError, match="abstract"):
        Stage()  # type: ignore[abstract]
    made = a_class(Stage, (*METHODS[Processor], *METHODS[Subscription]))()
    assert all(isinstance(made, interface) for interface in METHODS)


@each_interface
def test_its_parameters_can_be_given(interface: Any) -> None:
    parameters = {Subscription: None, Processor: (int, str)}.get(interface, int)
    base = interface if parameters is None else interface[parameters]
    made = type("Made", (), dict.fromkeys(METHODS[interface], does_nothing))()
    assert isinstance(made, interface)
    assert base is not None


# By structure.


@each_interface
def test_a_foreign_class_with_the_methods_is_an_instance(interface: type) -> None:
    made = a_class(object, METHODS[interface])
    assert isinstance(made(), interface)
    assert issubclass(made, interface)


@each_method
def test_a_foreign_class_that_lacks_one_is_none(interface: type, method: str) -> None:
    others = tuple(name for name in METHODS[interface] if name != method)
    made = a_class(object, others)
    assert not isinstance(made(), interface)
    assert not issubclass(made, interface)


@each_method
def test_an_attribute_that_is_none_is_no_method(interface: type, method: str) -> None:
    made = a_class(object, METHODS[interface], **{method: None})
    assert not isinstance(made(), interface)


@each_interface
def test_methods_that_only_the_object_has_count(interface: type) -> None:
    made = a_class(object, ())()
    assert not isinstance(made, interface)
    for method in METHODS[interface]:
        setattr(made, method, print)
    assert isinstance(made, interface)


@each_interface
def test_other_things_are_no_instances(interface: type) -> None:
    assert not any(isinstance(thing, interface) for thing in (None, 1, object(), [], "", print))


def test_a_foreign_subscriber_takes_part_in_a_stream() -> None:
    class Foreign:
        def __init__(self) -> None:
            self.got: list[object] = []

        def on_subscribe(self, source: Any) -> None:
            source.request(2)

        def on_next(self, value: object, is_complete: bool = False, *more: object) -> None:
            self.got.append((value, is_complete, more))

        def on_error(self, exc: BaseException, context: str = "") -> None:
            self.got.append(exc)

        def on_complete(self, reason: str = "done") -> None:
            self.got.append(reason)

    foreign = Foreign()
    assert isinstance(foreign, Subscriber)
    publisher = ManualPublisher[int]()
    publisher.subscribe(foreign)
    publisher.emit(1, 2)
    publisher.complete()
    assert foreign.got == [(1, False, ()), (2, False, ()), "done"]


def test_a_foreign_publisher_takes_part_in_a_stream() -> None:
    class Line:
        def __init__(self, to: Any) -> None:
            self.to = to

        def request(self, amount: int = 1) -> None:
            for i in range(amount):
                self.to.on_next(i)

        def cancel(self, reason: str = "") -> None:
            self.to.on_complete()

    class Foreign:
        def subscribe(self, sink: Any, *, eager: bool = False) -> None:
            sink.on_subscribe(Line(sink))

    assert isinstance(Foreign(), Publisher)
    probe = Probe[int](Foreign())
    assert isinstance(probe.subscription, Subscription)
    probe.request(2)
    probe.expect_next(0, 1)
    probe.cancel()
    probe.expect_complete()


def test_the_kits_own_parties_are_instances() -> None:
    assert isinstance(Probe(), Subscriber)
    assert isinstance(ManualPublisher(), Publisher)


def test_unbounded_is_the_largest_signed_64_bit_number() -> None:
    assert int.from_bytes(b"\x7f" + b"\xff" * 7) == UNBOUNDED


# As type checkers see them. In the bad snippet each line that must be refused ends in a
# comment `# refused: why`; the good one has no such lines.


def lines_to_refuse(snippet: str) -> set[int]:
    lines = (SNIPPETS / snippet).read_text().splitlines()
    return {number for number, line in enumerate(lines, 1) if "# refused" in line}


def check(*command: str, **environment: str) -> str:
    ended = subprocess.run(
        [sys.executable, "-m", *command],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        check=False,  # it exits with 1 if it refuses anything, as it must here
        timeout=300,
    )
    assert ended.returncode in (0, 1), ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the snippets and nothing of ours, so that none of our settings count."""
    folder = tmp_path_factory.mktemp("typing")
    for snippet in SNIPPETS.glob("*.py"):
        shutil.copy(snippet, folder)
    settings = {
        "extraPaths": [str(SRC)],
        "typeCheckingMode": "strict",
        "pythonVersion": "3.11",
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    return folder


@pytest.fixture(scope="session")
def said_by_mypy(project: Path) -> dict[tuple[str, int], str]:
    said = check(
        "mypy",
        "--strict",
        "--config-file=",
        f"--cache-dir={project / 'cache'}",
        "--no-error-summary",
        *map(str, project.glob("*.py")),
        MYPYPATH=str(SRC),
    )
    errors = re.findall(r"^(?:.*[/\\])?([^/\\]+\.py):(\d+): error: (.*)$", said, re.MULTILINE)
    assert len(errors) == said.count(": error: "), said
    return {(name, int(line)): text for name, line, text in errors}


@pytest.fixture(scope="session")
def said_by_pyright(project: Path) -> dict[tuple[str, int], str]:
    said = json.loads(
        check("pyright", "--project", str(project), "--outputjson", "--pythonpath", sys.executable)
    )
    assert said["summary"]["filesAnalyzed"] == len(list(project.glob("*.py")))
    return {
        (Path(one["file"]).name, one["range"]["start"]["line"] + 1): one["message"]
        for one in said["generalDiagnostics"]
    }


each_checker = pytest.mark.parametrize("checker", ["mypy", "pyright"])


@each_checker
@pytest.mark.parametrize("snippet", ["good.py", "bad.py"])
def test_a_type_checker_refuses_what_it_must_and_nothing_else(
    request: pytest.FixtureRequest, checker: str, snippet: str
) -> None:
    said = request.getfixturevalue(f"said_by_{checker}")
    refused = {line: text for (name, line), text in said.items() if name == snippet}
    wanted = lines_to_refuse(snippet)
    unwanted = {line: text for line, text in refused.items() if line not in wanted}
    assert not unwanted, f"{checker} refuses what is right"
    assert wanted <= refused.keys(), f"{checker} lets pass what is wrong"


def test_the_bad_snippet_says_what_to_refuse() -> None:
    assert len(lines_to_refuse("bad.py")) >= 20
    assert lines_to_refuse("good.py") == set()
