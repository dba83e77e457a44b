"""A program of several ranks that ends in the way its first argument says, on rank 1."""

from __future__ import annotations

import os
import signal
import sys
import time

import numpy as np

import unisycl as sycl
from unisycl.ext.unisycl import distr_buffer, distr_queue, one_to_one
from unisycl.ranks.links.world import world

q = distr_queue("cpu")
u = distr_buffer(np.arange(100.0))


def add(h):
    a = sycl.accessor(u, h, one_to_one, sycl.read_write)

    def more(i):
        a[i] += 1
    h.parallel_for(100, more)


def step():
    q.submit(add)
    return q.gather(u)


step()
way, mine = sys.argv[1], q.rank == 1
print("ready", flush=True)
if way == "raise" and mine:
    raise ValueError("no luck")
if way == "raise everywhere":
    raise ValueError(f"no luck on {q.rank}")
if way == "exit" and mine:
    sys.exit(3)
if way == "vanish" and mine:
    os._exit(0)
if way == "kill" and mine:
    os.kill(os.getpid(), signal.SIGKILL)
if way == "stuck":
    for link in (world(), q._link, q.collective_link, q._agreement.link):
        link.limit = 3.0  # from now on: that others begin later is not what is tested
    if mine:
        time.sleep(300)
if way == "random":
    rank, after = int(sys.argv[2]), float(sys.argv[3])
    end = time.monotonic() + after
    while q.rank != rank or time.monotonic() < end:
        step()
    os.kill(os.getpid(), signal.SIGKILL)
while way == "loop":
    step()
assert step()[5] == 7
print(f"rank {q.rank} is well")
