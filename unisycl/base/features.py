"""What this implementation has, as constants a program may test (SYCL 2020 §5.6, §6.3.3).

Where C++ writes ``#ifdef SYCL_EXT_X``, Python writes ``hasattr(unisycl, "SYCL_EXT_X")``. Non-goals:
what a device has (``device.has``). Invariant: a constant that is here is a positive number.
"""

from __future__ import annotations

SYCL_LANGUAGE_VERSION = 202012
"""The year and revision of the SYCL specification that names and meanings follow."""

SYCL_FEATURE_SET_FULL = 1
SYCL_DEVICE_COPYABLE = 1

SYCL_BACKEND_CPU = 1
SYCL_BACKEND_HOST = 1

SYCL_KHR_GROUP_INTERFACE = 1
SYCL_KHR_QUEUE_EMPTY_QUERY = 1
SYCL_KHR_QUEUE_FLUSH = 1
SYCL_KHR_WORK_ITEM_QUERIES = 1
SYCL_EXT_ONEAPI_BFLOAT16 = 1
SYCL_EXT_ONEAPI_DEVICE_GLOBAL = 1
SYCL_EXT_ONEAPI_ENQUEUE_BARRIER = 1
SYCL_EXT_ONEAPI_GRAPH = 1
SYCL_EXT_ONEAPI_GROUP_SORT = 2
"""2: arrays of fixed size, and keys with values, are sorted, too."""
SYCL_EXT_ONEAPI_LOCAL_MEMORY = 1
SYCL_EXT_ONEAPI_NON_UNIFORM_GROUPS = 1
SYCL_EXT_ONEAPI_QUEUE_PRIORITY = 1
SYCL_EXT_ONEAPI_SUB_GROUP_MASK = 1
"""1: masks come from ``group_ballot``; a program does not make them of its own bits."""
SYCL_EXT_ONEAPI_TANGLE = 1
SYCL_EXT_ONEAPI_ENQUEUE_FUNCTIONS = 1
SYCL_EXT_UNISYCL_DEVICE_ENQUEUE = 1
SYCL_EXT_UNISYCL_EVENTS = 1
SYCL_EXT_UNISYCL_MAP = 1
SYCL_EXT_UNISYCL_NON_UNIFORM_GROUPS = 1
SYCL_EXT_ONEAPI_KERNEL_PROPERTIES = 1
SYCL_EXT_ONEAPI_FREE_FUNCTION_QUERIES = 1
SYCL_EXT_ONEAPI_FREE_FUNCTION_KERNELS = 1
SYCL_EXT_ONEAPI_WORK_GROUP_MEMORY = 1
