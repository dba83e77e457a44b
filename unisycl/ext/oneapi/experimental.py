"""Public: experimental extensions of oneAPI: command graphs, sorting by groups.

Non-goals: stability of the names; they follow the extension's text. Invariant: nothing here is part
of the core.
"""

from unisycl.api.command_graph import command_graph, executable_graph
from unisycl.api.command_graph import graph_node as node
from unisycl.api.dynamic_parameter import dynamic_parameter
from unisycl.api.properties import property
from unisycl.base.enums import node_type, queue_state
from unisycl.lang.sorting import joint_sort, sort_key_value_over_group, sort_over_group

__all__ = ["command_graph", "dynamic_parameter", "executable_graph", "joint_sort", "node",
           "node_type", "property", "queue_state", "sort_key_value_over_group", "sort_over_group"]
