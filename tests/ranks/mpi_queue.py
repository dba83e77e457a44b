"""A program of several processes: the checks of the queue over ranks, over MPI."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import unisycl as sycl
from tests.ranks import mpi_cards, processes, queue_checks, test_queue
from unisycl.ranks.links.alone import AloneLink

if __name__ == "__main__":
    one = queue_checks.check_programs(sycl.ext.unisycl.distr_queue(sys.argv[1],
                                                                   link=AloneLink(60)))
    q = sycl.ext.unisycl.distr_queue(sys.argv[1])
    test_queue.compare(queue_checks.check_all(q), one)
    q.close()
    mpi_cards.check()
    processes.say(f"rank {q.rank} of {q.size} is well")
