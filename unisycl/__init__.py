"""unisycl: SYCL for Python.

Kernels are ordinary Python functions; they run on the CPU at SIMD speed, and unchanged as plain
Python on a host device where a debugger can step. Names are SYCL 2020's.

Importing this package does no work but to start remembering the text of code that has no file:
each name is loaded when it is first used, and no compiler or driver is opened before a device is
asked for.
"""

# One statement per home keeps the table below and these imports side by side.
# ruff: noqa: I001
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from unisycl.frontend import executed as _executed

__version__ = "0.1.0"

_executed.watch()

if TYPE_CHECKING:
    from unisycl.api.access import (
        read_only as read_only, read_only_host_task as read_only_host_task, read_write as
        read_write, read_write_host_task as read_write_host_task, write_only as write_only,
        write_only_host_task as write_only_host_task,
    )
    from unisycl.api.accessor import accessor as accessor, local_accessor as local_accessor
    from unisycl.api.buffer import buffer as buffer
    from unisycl.api.context import context as context
    from unisycl.api.device import (
        all_devices_have as all_devices_have, any_device_has as any_device_has, device as
        device, platform as platform,
    )
    from unisycl.api.event import event as event
    from unisycl.api.handler import handler as handler
    from unisycl.api.host_accessor import host_accessor as host_accessor
    from unisycl.api.info import info as info
    from unisycl.api.properties import (
        is_property as is_property, is_property_of as is_property_of, no_init as no_init,
        property as property, property_list as property_list,
    )
    from unisycl.api.queue import queue as queue
    from unisycl.api.reduction import reduction as reduction
    from unisycl.api.selector import (
        accelerator_selector_v as accelerator_selector_v, aspect_selector as
        aspect_selector, cpu_selector_v as cpu_selector_v, default_selector_v as
        default_selector_v, gpu_selector_v as gpu_selector_v, host_selector_v as
        host_selector_v,
    )
    from unisycl.api.usm import (
        aligned_alloc as aligned_alloc, aligned_alloc_device as aligned_alloc_device,
        aligned_alloc_host as aligned_alloc_host, aligned_alloc_shared as
        aligned_alloc_shared, free as free, get_pointer_device as get_pointer_device,
        get_pointer_type as get_pointer_type, malloc as malloc, malloc_device as
        malloc_device, malloc_host as malloc_host, malloc_shared as malloc_shared, usm as
        usm, usm_pointer as usm_pointer,
    )
    from unisycl.base.enums import (
        access_mode as access_mode, address_space as address_space, aspect as aspect,
        backend as backend, fence_space as fence_space, memory_order as memory_order,
        memory_scope as memory_scope, target as target,
    )
    from unisycl.base.errors import (
        BuildError as BuildError, DeviceError as DeviceError, Diagnostic as Diagnostic, errc
        as errc, error_category as error_category, exception as exception, exception_list as
        exception_list, InternalError as InternalError, KernelError as KernelError,
        sycl_category as sycl_category, UnsupportedError as UnsupportedError, UsageError as
        UsageError,
    )
    from unisycl.base.geometry import id as id, nd_range as nd_range, range as range
    from unisycl.lang.atomic import atomic_fence as atomic_fence, atomic_ref as atomic_ref
    from unisycl.lang.functions import (
        bit_and as bit_and, bit_or as bit_or, bit_xor as bit_xor, has_known_identity as
        has_known_identity, known_identity as known_identity, logical_and as logical_and,
        logical_or as logical_or, maximum as maximum, minimum as minimum, multiplies as
        multiplies, plus as plus,
    )
    from unisycl.lang.group import (
        all_of_group as all_of_group, any_of_group as any_of_group,
        exclusive_scan_over_group as exclusive_scan_over_group, group_barrier as
        group_barrier, group_broadcast as group_broadcast, inclusive_scan_over_group as
        inclusive_scan_over_group, none_of_group as none_of_group, permute_group_by_xor as
        permute_group_by_xor, reduce_over_group as reduce_over_group, select_from_group as
        select_from_group, shift_group_left as shift_group_left, shift_group_right as
        shift_group_right,
    )
    from unisycl.lang.groups import group as group, h_item as h_item, sub_group as sub_group
    from unisycl.lang.item import nd_item as nd_item
    from unisycl.lang.kernel import kernel as kernel
    from unisycl.lang.math import (
        abs as abs, acos as acos, acosh as acosh, add_sat as add_sat, asin as asin, asinh as
        asinh, atan as atan, atan2 as atan2, atanh as atanh, cbrt as cbrt, ceil as ceil,
        clamp as clamp, clz as clz, copysign as copysign, cos as cos, cosh as cosh, ctz as
        ctz, degrees as degrees, erf as erf, erfc as erfc, exp as exp, exp10 as exp10, exp2
        as exp2, expm1 as expm1, fabs as fabs, fdim as fdim, floor as floor, fma as fma,
        fmax as fmax, fmin as fmin, fmod as fmod, fract as fract, hadd as hadd, hypot as
        hypot, isequal as isequal, isfinite as isfinite, isgreater as isgreater,
        isgreaterequal as isgreaterequal, isinf as isinf, isless as isless, islessequal as
        islessequal, isnan as isnan, isnotequal as isnotequal, isordered as isordered,
        isunordered as isunordered, log as log, log10 as log10, log1p as log1p, log2 as
        log2, mad as mad, max as max, min as min, mix as mix, mul_hi as mul_hi, popcount as
        popcount, pow as pow, radians as radians, rhadd as rhadd, rint as rint, rotate as
        rotate, round as round, rsqrt as rsqrt, sign as sign, signbit as signbit, sin as
        sin, sinh as sinh, smoothstep as smoothstep, sqrt as sqrt, step as step, sub_sat as
        sub_sat, tan as tan, tanh as tanh, trunc as trunc,
    )
    from unisycl.lang.memory import private_array as private_array
    from unisycl.lang.range_item import item as item
    from unisycl.lang.reducer import reducer as reducer

# Where each public name lives; the imports above say the same to type checkers (a test compares).
_HOMES: dict[str, str] = {
    "api.access": (
        "read_only read_only_host_task read_write read_write_host_task write_only "
        "write_only_host_task"
    ),
    "api.accessor": "accessor local_accessor",
    "api.buffer": "buffer",
    "api.context": "context",
    "api.device": "all_devices_have any_device_has device platform",
    "api.event": "event",
    "api.handler": "handler",
    "api.host_accessor": "host_accessor",
    "api.info": "info",
    "api.properties": "is_property is_property_of no_init property property_list",
    "api.queue": "queue",
    "api.reduction": "reduction",
    "api.selector": (
        "accelerator_selector_v aspect_selector cpu_selector_v default_selector_v gpu_selector_v "
        "host_selector_v"
    ),
    "api.usm": (
        "aligned_alloc aligned_alloc_device aligned_alloc_host aligned_alloc_shared free "
        "get_pointer_device get_pointer_type malloc malloc_device malloc_host malloc_shared usm "
        "usm_pointer"
    ),
    "base.enums": (
        "access_mode address_space aspect backend fence_space memory_order memory_scope target"
    ),
    "base.errors": (
        "BuildError DeviceError Diagnostic InternalError KernelError UnsupportedError UsageError "
        "errc error_category exception exception_list sycl_category"
    ),
    "base.geometry": "id nd_range range",
    "lang.atomic": "atomic_fence atomic_ref",
    "lang.functions": (
        "bit_and bit_or bit_xor has_known_identity known_identity logical_and logical_or maximum "
        "minimum multiplies plus"
    ),
    "lang.group": (
        "all_of_group any_of_group exclusive_scan_over_group group_barrier group_broadcast "
        "inclusive_scan_over_group none_of_group permute_group_by_xor reduce_over_group "
        "select_from_group shift_group_left shift_group_right"
    ),
    "lang.groups": "group h_item sub_group",
    "lang.item": "nd_item",
    "lang.kernel": "kernel",
    "lang.math": (
        "abs acos acosh add_sat asin asinh atan atan2 atanh cbrt ceil clamp clz copysign cos cosh "
        "ctz degrees erf erfc exp exp10 exp2 expm1 fabs fdim floor fma fmax fmin fmod fract hadd "
        "hypot isequal isfinite isgreater isgreaterequal isinf isless islessequal isnan "
        "isnotequal isordered isunordered log log10 log1p log2 mad max min mix mul_hi popcount "
        "pow radians rhadd rint rotate round rsqrt sign signbit sin sinh smoothstep sqrt step "
        "sub_sat tan tanh trunc"
    ),
    "lang.memory": "private_array",
    "lang.range_item": "item",
    "lang.reducer": "reducer",
}
_NAMES: dict[str, str] = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [*_NAMES]  # noqa: PLE0604 - strings, as the table's keys are


def _load(name: str) -> Any:
    """Load a public name on its first use."""
    home = _NAMES.get(name)
    if home is None:
        raise AttributeError(f"module 'unisycl' has no attribute '{name}'{_hint(name)}")
    value = getattr(importlib.import_module(f"unisycl.{home}"), name)
    globals()[name] = value
    return value


if not TYPE_CHECKING:  # so that type checkers know the names above and no others
    __getattr__ = _load


def _hint(name: str) -> str:
    """Return the public name a misspelt one may mean."""
    if name.startswith("_"):
        return ""
    difflib = importlib.import_module("difflib")
    close = difflib.get_close_matches(name, _NAMES, n=1)
    return f"; did you mean '{close[0]}'?" if close else ""


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted([*_NAMES, "__version__"])
