"""Commands on many parts of one buffer, overlapping at random, against the order of submission."""

from __future__ import annotations

import random

import numpy as np
import pytest

import unisycl as sycl


@pytest.mark.row("B-10", "B-11")
@pytest.mark.parametrize("seed", range(3))
def test_random_parts_see_what_was_submitted_before(queue, seed):
    rng, size = random.Random(seed), 2560
    ours, model = np.arange(size, dtype=np.int64), np.arange(size, dtype=np.int64)
    count = 60 if queue.get_backend() is sycl.backend.host else 250
    with sycl.buffer(ours) as base:
        parts: dict[tuple[int, int], sycl.buffer] = {}

        def part(low, high):
            if (low, high) not in parts:
                parts[low, high] = sycl.buffer(base, low, high - low)
            return parts[low, high]

        def pick():
            if rng.random() < 0.8:
                low = rng.randrange(size // 64) * 64  # 512 bytes suit all devices
                return low, low + 16
            low = rng.randrange(size // 64) * 64  # 512 bytes suit all devices
            return low, min(size, low + rng.randint(1, 300))
        for k in range(count):
            (a, b), (c, d) = pick(), pick()
            n = min(b - a, d - c)
            if max(a, c) < min(a + n, c + n):
                n = 0

            def group(h, a=a, b=b, c=c, d=d, n=n, k=k):
                target = sycl.accessor(part(a, b), h, sycl.read_write)
                source = sycl.accessor(part(c, d), h, sycl.read_only) if n else target

                def add(i):
                    target[i] += k

                def combine(i):
                    target[i] = target[i] * 3 % 1009 + source[i]
                h.parallel_for(n or b - a, combine if n else add)
            queue.submit(group)
            if n:
                model[a:a + n] = model[a:a + n] * 3 % 1009 + model[c:c + n]
            else:
                model[a:b] += k
            if rng.random() < 0.03:
                low, high = pick()
                with sycl.host_accessor(part(low, high), sycl.read_only) as seen:
                    assert model[low:high].tolist() == np.asarray(seen).tolist()
    assert model.tolist() == ours.tolist()


@pytest.mark.row("B-10", "B-11")
def test_the_whole_after_each_of_many_parts(queue):
    parts, rounds = 40, 3
    with sycl.buffer(np.zeros(parts * 128, np.int32)) as base:
        for _ in range(rounds):
            for k in range(parts):
                def one(h, k=k):
                    acc = sycl.accessor(sycl.buffer(base, 128 * k, 128), h, sycl.read_write)

                    def kernel(i):
                        acc[i] += k
                    h.parallel_for(128, kernel)
                queue.submit(one)

            def every(h):
                acc = sycl.accessor(base, h, sycl.read_write)

                def kernel(i):
                    acc[i] *= 2
                h.parallel_for(parts * 128, kernel)
            queue.submit(every)
        with sycl.host_accessor(base, sycl.read_only) as seen:
            assert np.repeat(np.arange(parts) * 14, 128).tolist() == np.asarray(seen).tolist()
