"""`docs/kit.md` says what the checks and the wrong implementations say."""

from __future__ import annotations

from pathlib import Path

from tests.tck.wrong.page import page

PAGE = Path(__file__).parents[2] / "docs" / "kit.md"


def test_the_page_is_fresh():
    assert PAGE.read_text("utf-8") == page(), "docs/kit.md is stale: run `make generate`"
