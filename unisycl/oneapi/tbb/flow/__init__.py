"""Public: oneTBB's flow graph: nodes that send one another messages.

Non-goals: who runs the nodes' bodies (``unisycl.oneapi.tbb``).
"""

from unisycl.oneapi.tbb.flow.buffers import (
    broadcast_node,
    buffer_node,
    limiter_node,
    overwrite_node,
    priority_queue_node,
    queue_node,
    sequencer_node,
    write_once_node,
)
from unisycl.oneapi.tbb.flow.functions import (
    async_node,
    continue_msg,
    continue_node,
    function_node,
    gateway,
    input_node,
    lightweight,
    multifunction_node,
    queueing,
    rejecting,
    serial,
    unlimited,
)
from unisycl.oneapi.tbb.flow.graphs import (
    graph,
    input_port,
    make_edge,
    output_port,
    remove_edge,
)
from unisycl.oneapi.tbb.flow.joins import (
    indexer_node,
    join_node,
    key_matching,
    reserving,
    split_node,
    tagged_msg,
)

__all__ = [
    "async_node", "broadcast_node", "buffer_node", "continue_msg", "continue_node",
    "function_node", "gateway", "graph", "indexer_node", "input_node", "input_port", "join_node",
    "key_matching", "lightweight", "limiter_node", "make_edge", "multifunction_node",
    "output_port", "overwrite_node", "priority_queue_node", "queue_node", "queueing", "rejecting",
    "remove_edge", "reserving", "sequencer_node", "serial", "split_node", "tagged_msg",
    "unlimited", "write_once_node",
]
