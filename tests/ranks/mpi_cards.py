"""Processes whose MPI takes memory of cards, which are none here.

What the cards are made of is the processor's memory, so any MPI takes it, once it is believed to.
"""

from __future__ import annotations

import numpy as np

import unisycl as sycl
from tests.cuda_fake.install import all_installed
from tests.cuda_fake.nccl import Cards
from tests.ranks import programs
from unisycl.oneapi import ccl
from unisycl.ranks.links import cards, gpu_aware, world

x = sycl.ext.unisycl


def messages(comm, queue) -> None:
    """What is sent from card to card, and from a card to the host."""
    me, size = comm.rank(), comm.size()
    p = sycl.malloc_device(100, queue, dtype=np.float32)
    r = sycl.malloc_device(100, queue, dtype=np.float32)
    first = queue.copy(np.arange(100, dtype=np.float32) + 1000 * me, p)
    to, source = (me + 1) % size, (me - 1) % size
    ccl.group_start()
    ccl.send(p, to, comm=comm, where=queue, depends_on=[first])
    ccl.recv(r, source, comm=comm, where=queue)
    ended = ccl.group_end()
    out = np.zeros(100, np.float32)
    queue.copy(r, out, depends_on=ended).wait()
    assert np.array_equal(out, np.arange(100) + 1000 * source)
    if me == 0:
        ccl.send(p, 1, comm=comm, where=queue, count=7).wait()
    elif me == 1:
        few = np.zeros(7, np.float32)
        ccl.recv(few, 0, comm=comm).wait()
        assert np.array_equal(few, np.arange(7))
    sycl.free(p, queue)
    sycl.free(r, queue)


def check() -> None:
    """Messages and a queue over ranks by MPI itself, and that it was given the memory."""
    assert not gpu_aware.takes("cuda")  # MPI's wheels do not
    assert not gpu_aware.takes("")
    cards.LIBRARIES.clear()
    made: list[int] = []
    cut = gpu_aware.DeviceArray.cut

    def noted(self, most: int):
        made.append(self.nbytes)
        return cut(self, most)
    gpu_aware.DeviceArray.cut = noted
    gpu_aware._said = lambda kind: kind == "cuda"
    with all_installed(Cards(2, seed=world.world().rank)):
        comm = ccl.from_mpi(world.world().comm)
        messages(comm, sycl.queue("card0"))
        q = x.distr_queue("card0")
        assert np.allclose(programs.heat(q, 16, 8, 3), programs.heat_by_numpy(16, 8, 3))
        q.close()
    assert 400 in made  # messages of the program's own, and rows of doubles
    assert 64 in made
