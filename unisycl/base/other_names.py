"""What names from other systems are called here: for messages, never for programs.

Non-goals: misspelt names (``frontend.spelling``). Invariant: nothing is taken for another name.
"""

from __future__ import annotations

_ARRAYS = "unisycl.ext.unisycl.{0}(...) makes USM as NumPy makes arrays"
_BARRIER = "write unisycl.group_barrier(it.get_group())"
_ATOMIC = "write unisycl.atomic_ref(memory, index).fetch_{0}(value)"
_SUM = ("give the launch a unisycl.reduction, or call unisycl.oneapi.dpl; in a kernel "
        "unisycl.reduce_over_group(group, value, unisycl.plus())")
_SHUFFLE = ("write unisycl.shift_group_left(sg, value, n), permute_group_by_xor or "
            "select_from_group, with sg = it.get_sub_group()")
_LOCAL = ("make a unisycl.local_accessor(dtype, extent) outside of the kernel and give it to the "
          "launch as an argument")

OTHER_NAMES = {
    **{name: _ARRAYS.format(name) for name in (
        "array", "zeros", "ones", "empty", "full", "arange", "linspace")},
    "asarray": "numpy.asarray(memory) is an array over USM memory, without a copy",
    "syncthreads": _BARRIER, "__syncthreads": _BARRIER, "barrier": _BARRIER,
    "syncwarp": "write unisycl.group_barrier(it.get_sub_group())",
    "atomicAdd": _ATOMIC.format("add"), "atomic_add": _ATOMIC.format("add"),
    "atomic_sub": _ATOMIC.format("sub"), "atomic_min": _ATOMIC.format("min"),
    "atomic_max": _ATOMIC.format("max"),
    "reduce": _SUM, "sum": _SUM,
    "shfl_down": _SHUFFLE, "shfl_xor": _SHUFFLE, "shfl_sync": _SHUFFLE,
    "shared": _LOCAL, "shared_memory": _LOCAL,
    "threadIdx": "write it.get_local_id(0); its last dimension runs fastest",
    "blockIdx": "write it.get_group(0)", "blockDim": "write it.get_local_range(0)",
    "gridDim": "write it.get_group_range(0)",
    "synchronize": "write queue.wait()",
}
"""A name, and what to write for it."""

METHODS_OF_ARRAYS = frozenset((
    "sum", "mean", "max", "min", "prod", "any", "all", "std", "var", "argmin", "argmax", "dot",
    "copy", "astype", "reshape", "ravel", "flatten", "fill", "T", "sort", "cumsum", "clip"))
ONE_BY_ONE = ("a kernel computes with single elements: loop over them, as in "
              "sum(x * x for x in a[i]), or give whole arrays to NumPy; of a row there are sum, "
              "mean, prod, max, min, argmax, argmin, any and all")
ASSIGNING = "a lambda cannot assign; write a function with def, and a[i] = value in it"


def advice(name: str) -> str:
    """Return what to write for another system's name; '' if it is none that is known."""
    return OTHER_NAMES.get(name, "")


def of_value(name: str) -> str:
    """Return what to do about an attribute that values have elsewhere; '' if it is none."""
    if name in METHODS_OF_ARRAYS:
        return ONE_BY_ONE
    if name in ("__setitem__", "__iadd__", "__isub__", "__imul__"):
        return ASSIGNING
    return advice(name)
