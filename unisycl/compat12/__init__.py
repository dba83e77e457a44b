"""Public: the names of SYCL 1.2 that SYCL 2020 spells differently, and what 2020 has no more.

That are programs, storage objects, native objects by ``get`` and sharing with OpenGL; all else
hands on to ``api``.

``from unisycl.compat12 import *`` gives a program of 1.2 its names, those that have not changed
included. Each deprecated name warns once, when it is first used. Non-goals: new programs.
Invariant: an object made here is one of ``unisycl``'s, or of a subclass.
"""

from __future__ import annotations

import importlib
import warnings
from typing import Any

# Where each name lives: those of 1.2 here, and what to write instead in SYCL 2020.
_OURS: dict[str, dict[str, str]] = {
    "modes": {"access": "access_mode and target"},
    "devices": {
        "device": "unisycl.device", "platform": "unisycl.platform", "context": "unisycl.context",
        "queue": "unisycl.queue", "device_selector": "any callable that ranks devices",
        "default_selector": "default_selector_v", "cpu_selector": "cpu_selector_v",
        "gpu_selector": "gpu_selector_v", "accelerator_selector": "accelerator_selector_v",
        "host_selector": "host_selector_v"},
    "errors": {
        "exception": "unisycl.exception", "cl_exception": "unisycl.exception",
        "async_exception": "unisycl.exception"},
    "groups": {
        "command_group": "queue.submit", "single_task": "handler.single_task",
        "parallel_for": "handler.parallel_for",
        "parallel_for_work_group": "handler.parallel_for_work_group",
        "parallel_for_workgroup": "handler.parallel_for_work_group",
        "parallel_for_work_item": "group.parallel_for_work_item",
        "parallel_for_workitem": "group.parallel_for_work_item"},
    "images": {
        "image": "unsampled_image or sampled_image", "sampler": "image_sampler"},
    "memory": {
        "buffer": "unisycl.buffer", "accessor": "unisycl.accessor, local_accessor or host_accessor",
        "memory_order_relaxed": "memory_order.relaxed"},
    "atomics": {
        "atomic": "atomic_ref", "atomic_int": "atomic_ref", "atomic_uint": "atomic_ref",
        "atomic_float": "atomic_ref",
        **{f"atomic_{name}_explicit": f"atomic_ref.{name}" for name in (
            "load", "store", "exchange", "compare_exchange_strong", "fetch_add", "fetch_sub",
            "fetch_and", "fetch_or", "fetch_xor", "fetch_min", "fetch_max")}},
    "pointers": {"make_ptr": "multi_ptr"},
    "events": {"event": "unisycl.event"},
    "kernels": {"kernel": "unisycl.kernel"},
    "programs": {"program": "kernel_bundle", "program_info": "the methods of kernel_bundle"},
    "storages": {
        "storage": "set_final_data, shared_ptr or an allocator", "async_storage": "shared_ptr"},
}
_FUNCTIONS = """
abs abs_diff acos acosh acospi add_sat all any asin asinh asinpi atan atan2 atan2pi atanh atanpi
bitselect cbrt ceil clamp clz copysign cos cosh cospi cross degrees distance dot erf erfc exp exp10
exp2 expm1 fabs fast_distance fast_length fast_normalize fdim floor fma fmax fmin fmod fract frexp
hadd hypot ilogb isequal isfinite isgreater isgreaterequal isinf isless islessequal islessgreater
isnan isnormal isnotequal isordered isunordered ldexp length lgamma lgamma_r log log10 log1p log2
logb mad mad24 mad_hi mad_sat max maxmag min minmag mix modf mul24 mul_hi nan nextafter normalize
popcount pow pown powr radians remainder remquo rhadd rint rootn rotate round rsqrt select sign
signbit sin sincos sinh sinpi smoothstep sqrt step sub_sat tan tanh tanpi tgamma trunc upsample
"""


def _vectors() -> list[str]:
    """Return the names of the vector types (Tables 3.51 and 3.52)."""
    kinds = ("char", "short", "int", "long", "float", "double", "half")
    return [f"{sign}{kind}{n}" for kind in kinds for n in (2, 3, 4, 8, 16)
            for sign in (("", "u") if kind in kinds[:4] else ("",))]


_HOMES = {name: home for home, names in _OURS.items() for name in names}
_INSTEAD = {name: text for names in _OURS.values() for name, text in names.items()}
_SAME = frozenset((
    "exception_list", "group", "id", "info", "item", "nd_item", "nd_range",
    "range", "address_space", "multi_ptr", "global_ptr", "local_ptr", "constant_ptr",
    "private_ptr", "vec", "printf", "native", *_vectors(), *_FUNCTIONS.split()))

CL_SYCL_LANGUAGE_VERSION = 120
"""The version of SYCL that these names are of (SYCL 1.2 §5.4)."""

# What Python itself calls so stays Python's for those who import everything.
_PYTHONS = frozenset(("abs", "all", "any", "max", "min", "pow", "round"))

__all__ = ["CL_SYCL_LANGUAGE_VERSION", *_HOMES, *_SAME - _PYTHONS]  # noqa: PLE0604 - strings

_warned: set[str] = set()


def __getattr__(name: str) -> Any:
    if name in _SAME:
        return getattr(importlib.import_module("unisycl"), name)
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'unisycl.compat12' has no attribute '{name}'")
    if name not in _warned:
        _warned.add(name)
        warnings.warn(f"'{name}' is SYCL 1.2; SYCL 2020 has {_INSTEAD[name]}", DeprecationWarning,
                      stacklevel=2)
    return getattr(importlib.import_module(f"unisycl.compat12.{home}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
