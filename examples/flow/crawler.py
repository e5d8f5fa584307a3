"""Crawls a small site politely: a limited rate, few requests at once, flaky pages tried again.

    python examples/flow/crawler.py

The links of each page go back to where the flow begins. This program serves the site itself.
"""

from __future__ import annotations

import asyncio
import re
from asyncio import StreamReader, StreamWriter
from collections.abc import Iterable
from contextlib import suppress
from time import monotonic
from urllib.error import HTTPError
from urllib.request import urlopen

from penstock import Backoff, Flow, threads
from penstock.flow import Emitter

AT_ONCE = 4  # requests under way
RATE, PER = 10, 0.5  # 10 pages in any half second

blocking = threads(AT_ONCE, name="request")  # urlopen blocks, so it gets threads of its own


Page = tuple[str, list[str]]  # its URL, and the links on it


def get(url: str) -> Page:
    """Request a page. Raises `HTTPError` if the answer is an error."""
    try:
        with urlopen(url, timeout=5) as answer:  # noqa: S310 - http, and our own site
            return url, re.findall('href="(.*?)"', answer.read().decode())
    except HTTPError as error:
        error.close()  # it is the answer, too, and would keep its socket
        raise


async def fetch(url: str) -> Page:
    """Request a page, up to three times: a flow of one element, inside the big one."""
    once = Flow.of(url).map_async(get, on=blocking)
    return await once.retry(2, Backoff(0.02), when=HTTPError).first()


class Crawl:
    """Visits every page that links lead to, once, when `run` is awaited."""

    def __init__(self, start: str, rate: int = RATE, per: float = PER) -> None:
        self.start = start
        self.seen: set[str] = set()
        self.pages: list[str] = []
        self.run = (
            Flow.create(self.begin, size=1000)  # links that may wait; one more is an error
            .at_most(rate, per=per)
            .map_async(fetch, AT_ONCE, ordered=False)
            .for_each(self.found)
        )

    def begin(self, frontier: Emitter[str]) -> None:
        """Push the first link; called when the flow first asks for one."""
        self.frontier = frontier
        self.push([self.start])

    def push(self, links: Iterable[str]) -> None:
        """Push the links that are new."""
        for link in links:
            if link not in self.seen:
                self.seen.add(link)
                self.frontier.push(link)

    def found(self, page: Page) -> None:
        """Go on with the links of a page; the crawl is complete when no page is missing."""
        url, links = page
        self.pages.append(url)
        self.push(links)
        print(f"  {url}  page {len(self.pages):2} of {len(self.seen):2} known")
        if len(self.pages) == len(self.seen):
            self.frontier.complete()


class Site:
    """Serves pages that link to each other, and counts the requests."""

    def __init__(self, pages: int = 24, flaky: Iterable[int] = (3, 11, 20)) -> None:
        self.pages, self.flaky = pages, set(flaky)  # the first answer of a flaky one is an error
        self.requests = self.under_way = self.most = 0

    async def answer(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Answer one request, after a while."""
        self.requests += 1
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        asked = (await reader.readuntil(b"\r\n\r\n")).decode()
        await asyncio.sleep(0.02)
        page = int(asked.split()[1].strip("/"))
        site = "http://" + asked.partition("Host: ")[2].split()[0]
        links = [f'<a href="{site}/{n}">' for n in (2 * page + 1, 2 * page + 2) if n < self.pages]
        status = "503 Service Unavailable" if page in self.flaky else "200 OK"
        self.flaky.discard(page)
        writer.write(f"HTTP/1.0 {status}\r\n\r\n{' '.join(links)}".encode())
        self.under_way -= 1
        writer.close()


async def main() -> None:
    """Serve a site, crawl it, and say how fast that was and how much of it at once."""
    site, began = Site(), monotonic()
    async with await asyncio.start_server(site.answer, "127.0.0.1", 0) as server:
        crawl = Crawl("http://{}:{}/0".format(*server.sockets[0].getsockname()))
        await crawl.run
    n, seconds = len(crawl.pages), monotonic() - began
    print(f"{n} pages in {seconds:.1f} s; the limit is {RATE} in any {PER} s")
    print(f"{site.most} requests at once at most, {site.requests - n} pages tried again")


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(main())
