"""The example of a crawler, against its own site."""

from __future__ import annotations

import asyncio
from time import monotonic
from urllib.error import HTTPError

import pytest
from flow_helpers import EXAMPLES  # noqa: F401 - puts the examples on the path

from penstock import threads

import crawler  # isort: skip


def crawled(site: crawler.Site, **limits: float) -> crawler.Crawl:
    async def main() -> crawler.Crawl:
        async with await asyncio.start_server(site.answer, "127.0.0.1", 0) as server:
            start = "http://{}:{}/0".format(*server.sockets[0].getsockname())
            crawl = crawler.Crawl(start, **limits)  # type: ignore[arg-type]
            await crawl.run
            return crawl

    return asyncio.run(main())


def test_every_page_is_visited_once() -> None:
    site = crawler.Site(pages=20, flaky=[])
    crawl = crawled(site, rate=1000)
    numbers = [int(url.rpartition("/")[2]) for url in crawl.pages]
    assert sorted(numbers) == list(range(20))
    assert site.requests == 20


def test_no_more_requests_at_once_than_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crawler, "blocking", threads(4 * crawler.AT_ONCE))  # not the bound here
    site = crawler.Site(pages=30, flaky=[])
    crawled(site, rate=1000)
    assert site.most == crawler.AT_ONCE


def test_flaky_pages_are_tried_again() -> None:
    site = crawler.Site(pages=6, flaky=[0, 4])
    assert len(crawled(site, rate=1000).pages) == 6
    assert site.requests == 8


def test_a_page_that_never_comes_fails_the_crawl() -> None:
    class Down(set[int]):
        def discard(self, element: int) -> None:
            pass

    site = crawler.Site(pages=6, flaky=[])
    site.flaky = Down({4})
    with pytest.raises(HTTPError, match="503"):
        crawled(site, rate=1000)
    assert site.requests >= 3


def test_no_faster_than_stated() -> None:
    began = monotonic()
    crawled(crawler.Site(pages=13, flaky=[]), rate=3, per=0.1)
    assert monotonic() - began >= 4 * 0.1  # 3 at once, and 3 more in each period
