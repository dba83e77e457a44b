"""Public: collective calls of several ranks, as oneCCL has them (oneAPI's specification, oneCCL).

Ranks are threads of one process, or processes of MPI. Non-goals: what a queue over many ranks does
(``unisycl.ext.unisycl.distr_queue``). Invariant: a call that ranks make differently, or to which
one does not come, raises on all others within the communicator's time limit.
"""

from unisycl.oneapi.ccl.collectives import (
    allgather,
    allgatherv,
    allreduce,
    alltoall,
    alltoallv,
    barrier,
    broadcast,
    gather,
    gatherv,
    recv,
    reduce,
    reduce_scatter,
    scatter,
    scatterv,
    send,
)
from unisycl.oneapi.ccl.communicators import (
    communicator,
    create_communicator,
    duplicate_communicator,
    from_mpi,
    split_communicator,
)
from unisycl.oneapi.ccl.groups import group_end, group_start
from unisycl.oneapi.ccl.kvs import create_kvs, create_main_kvs, kvs
from unisycl.oneapi.ccl.streams import (
    create_context,
    create_device,
    create_stream,
    init,
    stream,
)
from unisycl.oneapi.ccl.threads import run_threads
from unisycl.oneapi.ccl.types import datatype, reduction

__all__ = ["allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "barrier", "broadcast",
           "communicator", "create_communicator", "create_context", "create_device", "create_kvs",
           "create_main_kvs", "create_stream", "datatype", "duplicate_communicator", "from_mpi",
           "gather", "gatherv", "group_end", "group_start", "init", "kvs", "recv", "reduce",
           "reduce_scatter", "reduction", "run_threads", "scatter", "scatterv", "send",
           "split_communicator", "stream"]
