"""A link that loses and delays what ranks send, for tests of what happens then."""

from __future__ import annotations

import random
import threading
import time

from unisycl.ranks.links import progress
from unisycl.ranks.links.link import Array, Ending, Link
from unisycl.ranks.links.threads import ThreadLink


class FaultyLink(ThreadLink):
    """A thread's link whose messages are late by up to ``most`` seconds, and sometimes lost."""

    def __init__(self, inner: ThreadLink, seed: int, most: float, lost: float) -> None:
        super().__init__(inner.room, inner.rank, inner.limit)
        self.inner, self.most, self.lost = inner, most, lost
        self.random = random.Random(seed * 1000 + inner.rank)

    def send(self, to: int, tag: int, data: Array, words: str = "") -> Ending:
        if self.random.random() < self.lost:
            made = Ending()  # the sender knows nothing of it
            made.finish()
            return made
        made, kept = Ending(), data.copy()

        def later() -> None:
            time.sleep(self.random.random() * self.most)
            done = self.inner.send(to, tag, kept, words)
            progress.add(done)
            done.call(lambda: made.finish(done.error()))
        threading.Thread(target=later, daemon=True).start()
        return made

    def receive(self, source: int, tag: int, data: Array, words: str = "") -> Ending:
        return self.inner.receive(source, tag, data, words)

    def collect(self, call):
        time.sleep(self.random.random() * self.most)
        return self.inner.collect(call)

    def split(self, color: int, key: int) -> Link | None:
        found = self.inner.split(color, key)
        return None if found is None else FaultyLink(found, self.random.randrange(1 << 20),
                                                     self.most, self.lost)
