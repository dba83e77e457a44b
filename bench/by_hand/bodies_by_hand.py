"""Bodies that attract one another, by mpi4py and Numba: places are gathered in each step."""

import itertools
import math

import numba
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size


@numba.njit(fastmath=True)
def attract(p, v, low, out):
    for k in range(len(v)):
        x, y, z = p[low + k, 0], p[low + k, 1], p[low + k, 2]
        fx = fy = fz = np.float32(0)
        for j in range(len(p)):
            dx, dy, dz = p[j, 0] - x, p[j, 1] - y, p[j, 2] - z
            d = np.float32(1) / math.sqrt(dx * dx + dy * dy + dz * dz + np.float32(0.01))
            f = d * d * d
            fx += dx * f
            fy += dy * f
            fz += dz * f
        v[k, 0] += np.float32(1e-4) * fx
        v[k, 1] += np.float32(1e-4) * fy
        v[k, 2] += np.float32(1e-4) * fz
        for d in range(4):
            out[k, d] = p[low + k, d] + v[k, d]


def start(n):
    ends = [n * r // size for r in range(size + 1)]
    p = np.sin(np.arange(4 * n, dtype=np.float32)).reshape(n, 4)
    mine = p[ends[rank]:ends[rank + 1]].copy()
    counts = [4 * (b - a) for a, b in itertools.pairwise(ends)]
    return [p, np.zeros_like(mine), mine, ends[rank], counts]


def run(state, steps):
    p, v, mine, low, counts = state
    for _ in range(steps):
        attract(p, v, low, mine)
        comm.Allgatherv(mine, [p, counts])


def result(state):
    return state[0] if rank == 0 else None
