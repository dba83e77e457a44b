"""Programs of ranks as they are written by hand, with mpi4py and Numba, beside ours.

Each module has ``start(n)``, ``run(state, steps)`` and ``result(state)``: the whole, on rank 0.
"""
