"""unisycl: SYCL for Python.

Kernels are ordinary Python functions; they run on the CPU at SIMD speed, and unchanged as plain
Python on a host device where a debugger can step. Names are SYCL 2020's.

Importing this package does no work: each name is loaded when it is first used, and no compiler or
driver is opened before a device is asked for.
"""

# One statement per home keeps the table below and these imports side by side.
# ruff: noqa: I001
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from unisycl.base import forking, start as _start  # noqa: F401 - notes the folder we are in

__version__ = "0.1.0"

if TYPE_CHECKING:
    from unisycl import compat12 as compat12, ext as ext, khr as khr
    from unisycl.api.access import (
        read_only as read_only, read_only_host_task as read_only_host_task, read_write as
        read_write, read_write_host_task as read_write_host_task, write_only as write_only,
        write_only_host_task as write_only_host_task,
    )
    from unisycl.api.accessor import accessor as accessor, local_accessor as local_accessor
    from unisycl.api.allocators import (
        buffer_allocator as buffer_allocator, image_allocator as image_allocator, usm_allocator
        as usm_allocator,
    )
    from unisycl.api.bound_kernel import bound_kernel as bound_kernel
    from unisycl.api.buffer import buffer as buffer
    from unisycl.api.bundles import (
        build as build, compile as compile, get_kernel_bundle as get_kernel_bundle,
        has_kernel_bundle as has_kernel_bundle, is_compatible as is_compatible, join as
        join, link as link,
    )
    from unisycl.api.context import context as context
    from unisycl.api.device import (
        all_devices_have as all_devices_have, any_device_has as any_device_has, device as
        device, platform as platform,
    )
    from unisycl.api.event import event as event
    from unisycl.api.exchange import from_dlpack as from_dlpack, from_usm_array as from_usm_array
    from unisycl.api.handler import handler as handler
    from unisycl.api.host_accessor import host_accessor as host_accessor
    from unisycl.api.image import (
        sampled_image as sampled_image, unsampled_image as unsampled_image,
    )
    from unisycl.api.image_accessor import (
        host_sampled_image_accessor as host_sampled_image_accessor,
        host_unsampled_image_accessor as host_unsampled_image_accessor,
        sampled_image_accessor as sampled_image_accessor, unsampled_image_accessor as
        unsampled_image_accessor,
    )
    from unisycl.api.info import info as info
    from unisycl.api.interop import get_native as get_native, interop_handle as interop_handle
    from unisycl.api.kernel_bundle import (
        device_image as device_image, kernel_bundle as kernel_bundle,
    )
    from unisycl.api.kernel_id import (
        get_kernel_id as get_kernel_id, get_kernel_ids as get_kernel_ids, kernel_id as
        kernel_id,
    )
    from unisycl.api.native import (
        make_buffer as make_buffer, make_context as make_context, make_device as make_device,
        make_event as make_event, make_kernel as make_kernel, make_kernel_bundle as
        make_kernel_bundle, make_platform as make_platform, make_queue as make_queue,
        make_sampled_image as make_sampled_image, make_unsampled_image as make_unsampled_image,
    )
    from unisycl.api.native_kernel import native_kernel as native_kernel
    from unisycl.api.opencl import opencl as opencl
    from unisycl.api.properties import (
        is_property as is_property, is_property_of as is_property_of, no_init as no_init,
        property as property, property_list as property_list,
    )
    from unisycl.api.queue import queue as queue
    from unisycl.api.recording import recording as recording
    from unisycl.api.reduction import reduction as reduction, span as span
    from unisycl.api.selector import (
        accelerator_selector_v as accelerator_selector_v, aspect_selector as
        aspect_selector, cpu_selector_v as cpu_selector_v, default_selector_v as
        default_selector_v, gpu_selector_v as gpu_selector_v, host_selector_v as
        host_selector_v,
    )
    from unisycl.api.shared_ptr import shared_ptr as shared_ptr
    from unisycl.api.usm import (
        aligned_alloc as aligned_alloc, aligned_alloc_device as aligned_alloc_device,
        aligned_alloc_host as aligned_alloc_host, aligned_alloc_shared as
        aligned_alloc_shared, free as free, get_pointer_device as get_pointer_device,
        get_pointer_type as get_pointer_type, malloc as malloc, malloc_device as
        malloc_device, malloc_host as malloc_host, malloc_shared as malloc_shared, usm as
        usm, usm_pointer as usm_pointer,
    )
    from unisycl.base.enums import (
        access as access, access_mode as access_mode, address_space as address_space,
        aspect as aspect, backend as backend, bundle_state as bundle_state, decorated as
        decorated, fence_space as fence_space, memory_order as memory_order, memory_scope
        as memory_scope, rounding_mode as rounding_mode, stream_manipulator as
        stream_manipulator, target as target,
    )
    from unisycl.base.errors import (
        BuildError as BuildError, DeviceError as DeviceError, Diagnostic as Diagnostic,
        errc as errc, error_category as error_category, error_code as error_code, exception
        as exception, exception_list as exception_list, InternalError as InternalError,
        is_error_code_enum as is_error_code_enum, KernelError as KernelError,
        KernelWarning as KernelWarning, make_error_code as make_error_code,
        sycl_category as sycl_category, UnsupportedError as UnsupportedError,
        UsageError as UsageError,
    )
    from unisycl.base.features import (
        SYCL_BACKEND_CPU as SYCL_BACKEND_CPU, SYCL_BACKEND_HOST as SYCL_BACKEND_HOST,
        SYCL_DEVICE_COPYABLE as SYCL_DEVICE_COPYABLE, SYCL_EXT_INTEL_BUFFER_LOCATION as
        SYCL_EXT_INTEL_BUFFER_LOCATION, SYCL_EXT_INTEL_DATAFLOW_PIPES as
        SYCL_EXT_INTEL_DATAFLOW_PIPES, SYCL_EXT_INTEL_FPGA_LSU as SYCL_EXT_INTEL_FPGA_LSU,
        SYCL_EXT_INTEL_FPGA_REG as SYCL_EXT_INTEL_FPGA_REG, SYCL_EXT_INTEL_MEM_CHANNEL_PROPERTY as
        SYCL_EXT_INTEL_MEM_CHANNEL_PROPERTY, SYCL_EXT_ONEAPI_ASYNC_MEMORY_ALLOC as
        SYCL_EXT_ONEAPI_ASYNC_MEMORY_ALLOC, SYCL_EXT_ONEAPI_AUTO_LOCAL_RANGE as
        SYCL_EXT_ONEAPI_AUTO_LOCAL_RANGE, SYCL_EXT_ONEAPI_BFLOAT16 as SYCL_EXT_ONEAPI_BFLOAT16,
        SYCL_EXT_ONEAPI_BFLOAT16_MATH_FUNCTIONS as SYCL_EXT_ONEAPI_BFLOAT16_MATH_FUNCTIONS,
        SYCL_EXT_ONEAPI_CHUNK as SYCL_EXT_ONEAPI_CHUNK, SYCL_EXT_ONEAPI_DEFAULT_CONTEXT as
        SYCL_EXT_ONEAPI_DEFAULT_CONTEXT, SYCL_EXT_ONEAPI_DEVICE_ARCHITECTURE as
        SYCL_EXT_ONEAPI_DEVICE_ARCHITECTURE, SYCL_EXT_ONEAPI_DEVICE_GLOBAL as
        SYCL_EXT_ONEAPI_DEVICE_GLOBAL, SYCL_EXT_ONEAPI_DEVICE_IF as SYCL_EXT_ONEAPI_DEVICE_IF,
        SYCL_EXT_ONEAPI_DISCARD_QUEUE_EVENTS as SYCL_EXT_ONEAPI_DISCARD_QUEUE_EVENTS,
        SYCL_EXT_ONEAPI_ENQUEUE_BARRIER as SYCL_EXT_ONEAPI_ENQUEUE_BARRIER,
        SYCL_EXT_ONEAPI_ENQUEUE_FUNCTIONS as SYCL_EXT_ONEAPI_ENQUEUE_FUNCTIONS,
        SYCL_EXT_ONEAPI_FORWARD_PROGRESS as SYCL_EXT_ONEAPI_FORWARD_PROGRESS,
        SYCL_EXT_ONEAPI_FRAGMENT as SYCL_EXT_ONEAPI_FRAGMENT, SYCL_EXT_ONEAPI_FREE_FUNCTION_KERNELS
        as SYCL_EXT_ONEAPI_FREE_FUNCTION_KERNELS, SYCL_EXT_ONEAPI_FREE_FUNCTION_QUERIES as
        SYCL_EXT_ONEAPI_FREE_FUNCTION_QUERIES, SYCL_EXT_ONEAPI_GRAPH as SYCL_EXT_ONEAPI_GRAPH,
        SYCL_EXT_ONEAPI_GROUP_LOAD_STORE as SYCL_EXT_ONEAPI_GROUP_LOAD_STORE,
        SYCL_EXT_ONEAPI_GROUP_OCCUPANCY_QUERIES as SYCL_EXT_ONEAPI_GROUP_OCCUPANCY_QUERIES,
        SYCL_EXT_ONEAPI_GROUP_SORT as SYCL_EXT_ONEAPI_GROUP_SORT,
        SYCL_EXT_ONEAPI_INTER_PROCESS_COMMUNICATION as SYCL_EXT_ONEAPI_INTER_PROCESS_COMMUNICATION,
        SYCL_EXT_ONEAPI_IN_ORDER_QUEUE_EVENTS as SYCL_EXT_ONEAPI_IN_ORDER_QUEUE_EVENTS,
        SYCL_EXT_ONEAPI_KERNEL_COMPILER as SYCL_EXT_ONEAPI_KERNEL_COMPILER,
        SYCL_EXT_ONEAPI_KERNEL_COMPILER_OPENCL as SYCL_EXT_ONEAPI_KERNEL_COMPILER_OPENCL,
        SYCL_EXT_ONEAPI_KERNEL_COMPILER_SPIRV as SYCL_EXT_ONEAPI_KERNEL_COMPILER_SPIRV,
        SYCL_EXT_ONEAPI_KERNEL_PROPERTIES as SYCL_EXT_ONEAPI_KERNEL_PROPERTIES,
        SYCL_EXT_ONEAPI_LAUNCH_QUERIES as SYCL_EXT_ONEAPI_LAUNCH_QUERIES,
        SYCL_EXT_ONEAPI_LOCAL_MEMORY as SYCL_EXT_ONEAPI_LOCAL_MEMORY,
        SYCL_EXT_ONEAPI_MAX_WORK_GROUP_QUERY as SYCL_EXT_ONEAPI_MAX_WORK_GROUP_QUERY,
        SYCL_EXT_ONEAPI_MEMCPY2D as SYCL_EXT_ONEAPI_MEMCPY2D, SYCL_EXT_ONEAPI_NON_UNIFORM_GROUPS as
        SYCL_EXT_ONEAPI_NON_UNIFORM_GROUPS, SYCL_EXT_ONEAPI_PEER_ACCESS as
        SYCL_EXT_ONEAPI_PEER_ACCESS, SYCL_EXT_ONEAPI_PROD as SYCL_EXT_ONEAPI_PROD,
        SYCL_EXT_ONEAPI_PROFILING_TAG as SYCL_EXT_ONEAPI_PROFILING_TAG, SYCL_EXT_ONEAPI_PROPERTIES
        as SYCL_EXT_ONEAPI_PROPERTIES, SYCL_EXT_ONEAPI_QUEUE_EMPTY as SYCL_EXT_ONEAPI_QUEUE_EMPTY,
        SYCL_EXT_ONEAPI_QUEUE_PRIORITY as SYCL_EXT_ONEAPI_QUEUE_PRIORITY, SYCL_EXT_ONEAPI_ROOT_GROUP
        as SYCL_EXT_ONEAPI_ROOT_GROUP, SYCL_EXT_ONEAPI_SUB_GROUP_MASK as
        SYCL_EXT_ONEAPI_SUB_GROUP_MASK, SYCL_EXT_ONEAPI_TANGLE as SYCL_EXT_ONEAPI_TANGLE,
        SYCL_EXT_ONEAPI_USM_DEVICE_READ_ONLY as SYCL_EXT_ONEAPI_USM_DEVICE_READ_ONLY,
        SYCL_EXT_ONEAPI_VIRTUAL_MEM as SYCL_EXT_ONEAPI_VIRTUAL_MEM,
        SYCL_EXT_ONEAPI_WORK_GROUP_MEMORY as SYCL_EXT_ONEAPI_WORK_GROUP_MEMORY,
        SYCL_EXT_ONEAPI_WORK_GROUP_SCRATCH_MEMORY as SYCL_EXT_ONEAPI_WORK_GROUP_SCRATCH_MEMORY,
        SYCL_EXT_UNISYCL_DEVICE_ENQUEUE as SYCL_EXT_UNISYCL_DEVICE_ENQUEUE, SYCL_EXT_UNISYCL_EVENTS
        as SYCL_EXT_UNISYCL_EVENTS, SYCL_EXT_UNISYCL_GRAPH_CONTROL as
        SYCL_EXT_UNISYCL_GRAPH_CONTROL, SYCL_EXT_UNISYCL_GRAPH_FILES as
        SYCL_EXT_UNISYCL_GRAPH_FILES, SYCL_EXT_UNISYCL_MAP as SYCL_EXT_UNISYCL_MAP,
        SYCL_EXT_UNISYCL_NON_UNIFORM_GROUPS as SYCL_EXT_UNISYCL_NON_UNIFORM_GROUPS,
        SYCL_EXT_UNISYCL_NUMPY_ALLOCATOR as SYCL_EXT_UNISYCL_NUMPY_ALLOCATOR, SYCL_FEATURE_SET_FULL
        as SYCL_FEATURE_SET_FULL, SYCL_IMPLEMENTATION_UNISYCL as SYCL_IMPLEMENTATION_UNISYCL,
        SYCL_KHR_DEFAULT_CONTEXT as SYCL_KHR_DEFAULT_CONTEXT, SYCL_KHR_DYNAMIC_ADDRSPACE_CAST as
        SYCL_KHR_DYNAMIC_ADDRSPACE_CAST, SYCL_KHR_FREE_FUNCTION_COMMANDS as
        SYCL_KHR_FREE_FUNCTION_COMMANDS, SYCL_KHR_GROUP_INTERFACE as SYCL_KHR_GROUP_INTERFACE,
        SYCL_KHR_INCLUDES as SYCL_KHR_INCLUDES, SYCL_KHR_MAX_NUM_WORK_GROUPS as
        SYCL_KHR_MAX_NUM_WORK_GROUPS, SYCL_KHR_MAX_WORK_GROUP_QUERIES as
        SYCL_KHR_MAX_WORK_GROUP_QUERIES, SYCL_KHR_PROPERTIES as SYCL_KHR_PROPERTIES,
        SYCL_KHR_QUEUE_EMPTY_QUERY as SYCL_KHR_QUEUE_EMPTY_QUERY, SYCL_KHR_QUEUE_FLUSH as
        SYCL_KHR_QUEUE_FLUSH, SYCL_KHR_SPLIT_HEADERS as SYCL_KHR_SPLIT_HEADERS,
        SYCL_KHR_STATIC_ADDRSPACE_CAST as SYCL_KHR_STATIC_ADDRSPACE_CAST, SYCL_KHR_WORK_ITEM_QUERIES
        as SYCL_KHR_WORK_ITEM_QUERIES, SYCL_LANGUAGE_VERSION as SYCL_LANGUAGE_VERSION,
    )
    from unisycl.base.executed import remember_exec as remember_exec
    from unisycl.base.geometry import id as id, nd_range as nd_range, range as range
    from unisycl.base.images import (
        addressing_mode as addressing_mode, coordinate_normalization_mode as
        coordinate_normalization_mode, filtering_mode as filtering_mode, image_channel_order
        as image_channel_order, image_channel_type as image_channel_type, image_format as
        image_format, image_sampler as image_sampler, image_target as image_target,
    )
    from unisycl.base.version import (
        cl_version as cl_version, make_version as make_version, name_version as name_version,
    )
    from unisycl.lang.atomic import atomic_fence as atomic_fence, atomic_ref as atomic_ref
    from unisycl.lang.bits import bit_cast as bit_cast
    from unisycl.lang.environment import (
        device_only as device_only, fast_relaxed_math as fast_relaxed_math, single_source as
        single_source, SYCL_EXTERNAL as SYCL_EXTERNAL, target_spir as target_spir,
    )
    from unisycl.lang.functions import (
        bit_and as bit_and, bit_or as bit_or, bit_xor as bit_xor, has_known_identity as
        has_known_identity, known_identity as known_identity, logical_and as logical_and,
        logical_or as logical_or, maximum as maximum, minimum as minimum, multiplies as
        multiplies, plus as plus,
    )
    from unisycl.lang.geometric import cross as cross
    from unisycl.lang.group import (
        all_of_group as all_of_group, any_of_group as any_of_group, exclusive_scan_over_group as
        exclusive_scan_over_group, group_barrier as group_barrier, group_broadcast as
        group_broadcast, group_reduce as group_reduce, group_scan_exclusive as
        group_scan_exclusive, group_scan_inclusive as group_scan_inclusive,
        inclusive_scan_over_group as inclusive_scan_over_group, none_of_group as none_of_group,
        permute_group_by_xor as permute_group_by_xor, reduce_over_group as reduce_over_group,
        select_from_group as select_from_group, shift_group_left as shift_group_left,
        shift_group_right as shift_group_right,
    )
    from unisycl.lang.groups import (
        device_event as device_event, group as group, h_item as h_item, private_memory as
        private_memory, sub_group as sub_group,
    )
    from unisycl.lang.item import nd_item as nd_item
    from unisycl.lang.joint import (
        joint_all_of as joint_all_of, joint_any_of as joint_any_of, joint_exclusive_scan as
        joint_exclusive_scan, joint_inclusive_scan as joint_inclusive_scan, joint_none_of as
        joint_none_of, joint_reduce as joint_reduce,
    )
    from unisycl.lang.kernel import device_has as device_has, kernel as kernel
    from unisycl.lang.marray import (
        marray as marray, mbool16 as mbool16, mbool2 as mbool2, mbool3 as mbool3, mbool4 as mbool4,
        mbool8 as mbool8, mchar16 as mchar16, mchar2 as mchar2, mchar3 as mchar3, mchar4 as mchar4,
        mchar8 as mchar8, mdouble16 as mdouble16, mdouble2 as mdouble2, mdouble3 as mdouble3,
        mdouble4 as mdouble4, mdouble8 as mdouble8, mfloat16 as mfloat16, mfloat2 as mfloat2,
        mfloat3 as mfloat3, mfloat4 as mfloat4, mfloat8 as mfloat8, mhalf16 as mhalf16, mhalf2 as
        mhalf2, mhalf3 as mhalf3, mhalf4 as mhalf4, mhalf8 as mhalf8, mint16 as mint16, mint2 as
        mint2, mint3 as mint3, mint4 as mint4, mint8 as mint8, mlong16 as mlong16, mlong2 as mlong2,
        mlong3 as mlong3, mlong4 as mlong4, mlong8 as mlong8, mshort16 as mshort16, mshort2 as
        mshort2, mshort3 as mshort3, mshort4 as mshort4, mshort8 as mshort8, muchar16 as muchar16,
        muchar2 as muchar2, muchar3 as muchar3, muchar4 as muchar4, muchar8 as muchar8, muint16 as
        muint16, muint2 as muint2, muint3 as muint3, muint4 as muint4, muint8 as muint8, mulong16 as
        mulong16, mulong2 as mulong2, mulong3 as mulong3, mulong4 as mulong4, mulong8 as mulong8,
        mushort16 as mushort16, mushort2 as mushort2, mushort3 as mushort3, mushort4 as mushort4,
        mushort8 as mushort8,
    )
    from unisycl.lang.math import (
        abs as abs, abs_diff as abs_diff, acos as acos, acosh as acosh, acospi as acospi,
        add_sat as add_sat, all as all, any as any, asin as asin, asinh as asinh, asinpi as
        asinpi, atan as atan, atan2 as atan2, atan2pi as atan2pi, atanh as atanh, atanpi as
        atanpi, bitselect as bitselect, cbrt as cbrt, ceil as ceil, clamp as clamp, clz as
        clz, copysign as copysign, cos as cos, cosh as cosh, cospi as cospi, ctz as ctz,
        degrees as degrees, distance as distance, dot as dot, erf as erf, erfc as erfc, exp
        as exp, exp10 as exp10, exp2 as exp2, expm1 as expm1, fabs as fabs, fast_distance as
        fast_distance, fast_length as fast_length, fast_normalize as fast_normalize, fdim as
        fdim, floor as floor, fma as fma, fmax as fmax, fmin as fmin, fmod as fmod, fract as
        fract, frexp as frexp, hadd as hadd, hypot as hypot, ilogb as ilogb, isequal as
        isequal, isfinite as isfinite, isgreater as isgreater, isgreaterequal as
        isgreaterequal, isinf as isinf, isless as isless, islessequal as islessequal,
        islessgreater as islessgreater, isnan as isnan, isnormal as isnormal, isnotequal as
        isnotequal, isordered as isordered, isunordered as isunordered, ldexp as ldexp,
        length as length, lgamma as lgamma, lgamma_r as lgamma_r, log as log, log10 as
        log10, log1p as log1p, log2 as log2, logb as logb, mad as mad, mad24 as mad24,
        mad_hi as mad_hi, mad_sat as mad_sat, max as max, maxmag as maxmag, min as min,
        minmag as minmag, mix as mix, modf as modf, mul24 as mul24, mul_hi as mul_hi, nan as
        nan, nextafter as nextafter, normalize as normalize, popcount as popcount, pow as
        pow, pown as pown, powr as powr, radians as radians, remainder as remainder, remquo
        as remquo, rhadd as rhadd, rint as rint, rootn as rootn, rotate as rotate, round as
        round, rsqrt as rsqrt, select as select, sign as sign, signbit as signbit, sin as
        sin, sincos as sincos, sinh as sinh, sinpi as sinpi, smoothstep as smoothstep, sqrt
        as sqrt, step as step, sub_sat as sub_sat, tan as tan, tanh as tanh, tanpi as tanpi,
        tgamma as tgamma, trunc as trunc, upsample as upsample,
    )
    from unisycl.lang.memory import private_array as private_array
    from unisycl.lang.namespaces import half_precision as half_precision, native as native
    from unisycl.lang.pointer import (
        address_space_cast as address_space_cast, constant_ptr as constant_ptr,
        decorated_generic_ptr as decorated_generic_ptr, decorated_global_ptr as
        decorated_global_ptr, decorated_local_ptr as decorated_local_ptr, decorated_private_ptr as
        decorated_private_ptr, global_ptr as global_ptr, local_ptr as local_ptr,
        multi_ptr as multi_ptr, private_ptr as private_ptr, raw_generic_ptr as raw_generic_ptr,
        raw_global_ptr as raw_global_ptr, raw_local_ptr as raw_local_ptr, raw_private_ptr as
        raw_private_ptr,
    )
    from unisycl.lang.range_item import item as item
    from unisycl.lang.reducer import reducer as reducer
    from unisycl.lang.specialization import (
        kernel_handler as kernel_handler, specialization_id as specialization_id,
    )
    from unisycl.lang.stream import (
        dec as dec, defaultfloat as defaultfloat, endl as endl, fixed as fixed, flush as flush,
        hex as hex, hexfloat as hexfloat, noshowbase as noshowbase, noshowpos as noshowpos, oct
        as oct, printf as printf, scientific as scientific, setprecision as setprecision, setw
        as setw, showbase as showbase, showpos as showpos, stream as stream,
    )
    from unisycl.lang.struct import is_device_copyable as is_device_copyable
    from unisycl.lang.this import (
        leader_of as leader_of, this_group as this_group, this_nd_item as this_nd_item,
        this_sub_group as this_sub_group,
    )
    from unisycl.lang.vec import (
        char16 as char16, char2 as char2, char3 as char3, char4 as char4, char8 as char8, double16
        as double16, double2 as double2, double3 as double3, double4 as double4, double8 as double8,
        float16 as float16, float2 as float2, float3 as float3, float4 as float4, float8 as float8,
        half16 as half16, half2 as half2, half3 as half3, half4 as half4, half8 as half8, int16 as
        int16, int2 as int2, int3 as int3, int4 as int4, int8 as int8, long16 as long16, long2 as
        long2, long3 as long3, long4 as long4, long8 as long8, short16 as short16, short2 as short2,
        short3 as short3, short4 as short4, short8 as short8, uchar16 as uchar16, uchar2 as uchar2,
        uchar3 as uchar3, uchar4 as uchar4, uchar8 as uchar8, uint16 as uint16, uint2 as uint2,
        uint3 as uint3, uint4 as uint4, uint8 as uint8, ulong16 as ulong16, ulong2 as ulong2, ulong3
        as ulong3, ulong4 as ulong4, ulong8 as ulong8, ushort16 as ushort16, ushort2 as ushort2,
        ushort3 as ushort3, ushort4 as ushort4, ushort8 as ushort8, vec as vec,
    )

# Where each public name lives; the imports above say the same to type checkers (a test compares).
_HOMES: dict[str, str] = {
    "api.access": (
        "read_only read_only_host_task read_write read_write_host_task write_only "
        "write_only_host_task"
    ),
    "api.accessor": "accessor local_accessor",
    "api.allocators": "buffer_allocator image_allocator usm_allocator",
    "api.bound_kernel": "bound_kernel",
    "api.buffer": "buffer",
    "api.bundles": (
        "build compile get_kernel_bundle has_kernel_bundle is_compatible join link"
    ),
    "api.context": "context",
    "api.device": "all_devices_have any_device_has device platform",
    "api.event": "event",
    "api.exchange": "from_dlpack from_usm_array",
    "api.handler": "handler",
    "api.host_accessor": "host_accessor",
    "api.image": "sampled_image unsampled_image",
    "api.image_accessor": (
        "host_sampled_image_accessor host_unsampled_image_accessor sampled_image_accessor "
        "unsampled_image_accessor"
    ),
    "api.info": "info",
    "api.interop": "get_native interop_handle",
    "api.kernel_bundle": "device_image kernel_bundle",
    "api.kernel_id": "get_kernel_id get_kernel_ids kernel_id",
    "api.native": (
        "make_buffer make_context make_device make_event make_kernel make_kernel_bundle "
        "make_platform make_queue make_sampled_image make_unsampled_image"
    ),
    "api.native_kernel": "native_kernel",
    "api.opencl": "opencl",
    "api.properties": "is_property is_property_of no_init property property_list",
    "api.queue": "queue",
    "api.recording": "recording",
    "api.reduction": "reduction span",
    "api.selector": (
        "accelerator_selector_v aspect_selector cpu_selector_v default_selector_v gpu_selector_v "
        "host_selector_v"
    ),
    "api.shared_ptr": "shared_ptr",
    "api.usm": (
        "aligned_alloc aligned_alloc_device aligned_alloc_host aligned_alloc_shared free "
        "get_pointer_device get_pointer_type malloc malloc_device malloc_host malloc_shared usm "
        "usm_pointer"
    ),
    "base.enums": (
        "access access_mode address_space aspect backend bundle_state decorated fence_space "
        "memory_order memory_scope rounding_mode stream_manipulator target"
    ),
    "base.errors": (
        "BuildError DeviceError Diagnostic errc error_category error_code exception "
        "exception_list InternalError is_error_code_enum KernelError KernelWarning "
        "make_error_code sycl_category UnsupportedError UsageError"
    ),
    "base.executed": "remember_exec",
    "base.features": (
        "SYCL_BACKEND_CPU SYCL_BACKEND_HOST SYCL_DEVICE_COPYABLE SYCL_EXT_INTEL_BUFFER_LOCATION "
        "SYCL_EXT_INTEL_DATAFLOW_PIPES SYCL_EXT_INTEL_FPGA_LSU SYCL_EXT_INTEL_FPGA_REG "
        "SYCL_EXT_INTEL_MEM_CHANNEL_PROPERTY SYCL_EXT_ONEAPI_ASYNC_MEMORY_ALLOC "
        "SYCL_EXT_ONEAPI_AUTO_LOCAL_RANGE SYCL_EXT_ONEAPI_BFLOAT16 "
        "SYCL_EXT_ONEAPI_BFLOAT16_MATH_FUNCTIONS SYCL_EXT_ONEAPI_CHUNK "
        "SYCL_EXT_ONEAPI_DEFAULT_CONTEXT SYCL_EXT_ONEAPI_DEVICE_ARCHITECTURE "
        "SYCL_EXT_ONEAPI_DEVICE_GLOBAL SYCL_EXT_ONEAPI_DEVICE_IF "
        "SYCL_EXT_ONEAPI_DISCARD_QUEUE_EVENTS SYCL_EXT_ONEAPI_ENQUEUE_BARRIER "
        "SYCL_EXT_ONEAPI_ENQUEUE_FUNCTIONS SYCL_EXT_ONEAPI_FORWARD_PROGRESS "
        "SYCL_EXT_ONEAPI_FRAGMENT SYCL_EXT_ONEAPI_FREE_FUNCTION_KERNELS "
        "SYCL_EXT_ONEAPI_FREE_FUNCTION_QUERIES SYCL_EXT_ONEAPI_GRAPH "
        "SYCL_EXT_ONEAPI_GROUP_LOAD_STORE SYCL_EXT_ONEAPI_GROUP_OCCUPANCY_QUERIES "
        "SYCL_EXT_ONEAPI_GROUP_SORT SYCL_EXT_ONEAPI_INTER_PROCESS_COMMUNICATION "
        "SYCL_EXT_ONEAPI_IN_ORDER_QUEUE_EVENTS SYCL_EXT_ONEAPI_KERNEL_COMPILER "
        "SYCL_EXT_ONEAPI_KERNEL_COMPILER_OPENCL SYCL_EXT_ONEAPI_KERNEL_COMPILER_SPIRV "
        "SYCL_EXT_ONEAPI_KERNEL_PROPERTIES SYCL_EXT_ONEAPI_LAUNCH_QUERIES "
        "SYCL_EXT_ONEAPI_LOCAL_MEMORY SYCL_EXT_ONEAPI_MAX_WORK_GROUP_QUERY "
        "SYCL_EXT_ONEAPI_MEMCPY2D SYCL_EXT_ONEAPI_NON_UNIFORM_GROUPS SYCL_EXT_ONEAPI_PEER_ACCESS "
        "SYCL_EXT_ONEAPI_PROD SYCL_EXT_ONEAPI_PROFILING_TAG SYCL_EXT_ONEAPI_PROPERTIES "
        "SYCL_EXT_ONEAPI_QUEUE_EMPTY SYCL_EXT_ONEAPI_QUEUE_PRIORITY SYCL_EXT_ONEAPI_ROOT_GROUP "
        "SYCL_EXT_ONEAPI_SUB_GROUP_MASK SYCL_EXT_ONEAPI_TANGLE "
        "SYCL_EXT_ONEAPI_USM_DEVICE_READ_ONLY SYCL_EXT_ONEAPI_VIRTUAL_MEM "
        "SYCL_EXT_ONEAPI_WORK_GROUP_MEMORY SYCL_EXT_ONEAPI_WORK_GROUP_SCRATCH_MEMORY "
        "SYCL_EXT_UNISYCL_DEVICE_ENQUEUE SYCL_EXT_UNISYCL_EVENTS SYCL_EXT_UNISYCL_GRAPH_CONTROL "
        "SYCL_EXT_UNISYCL_GRAPH_FILES SYCL_EXT_UNISYCL_MAP SYCL_EXT_UNISYCL_NON_UNIFORM_GROUPS "
        "SYCL_EXT_UNISYCL_NUMPY_ALLOCATOR SYCL_FEATURE_SET_FULL SYCL_IMPLEMENTATION_UNISYCL "
        "SYCL_KHR_DEFAULT_CONTEXT SYCL_KHR_DYNAMIC_ADDRSPACE_CAST SYCL_KHR_FREE_FUNCTION_COMMANDS "
        "SYCL_KHR_GROUP_INTERFACE SYCL_KHR_INCLUDES SYCL_KHR_MAX_NUM_WORK_GROUPS "
        "SYCL_KHR_MAX_WORK_GROUP_QUERIES SYCL_KHR_PROPERTIES SYCL_KHR_QUEUE_EMPTY_QUERY "
        "SYCL_KHR_QUEUE_FLUSH SYCL_KHR_SPLIT_HEADERS SYCL_KHR_STATIC_ADDRSPACE_CAST "
        "SYCL_KHR_WORK_ITEM_QUERIES SYCL_LANGUAGE_VERSION"
    ),
    "base.geometry": "id nd_range range",
    "base.images": (
        "addressing_mode coordinate_normalization_mode filtering_mode image_channel_order "
        "image_channel_type image_format image_sampler image_target"
    ),
    "base.version": "cl_version make_version name_version",
    "lang.atomic": "atomic_fence atomic_ref",
    "lang.bits": "bit_cast",
    "lang.environment": "SYCL_EXTERNAL device_only fast_relaxed_math single_source target_spir",
    "lang.functions": (
        "bit_and bit_or bit_xor has_known_identity known_identity logical_and logical_or maximum "
        "minimum multiplies plus"
    ),
    "lang.geometric": "cross",
    "lang.group": (
        "all_of_group any_of_group exclusive_scan_over_group group_barrier group_broadcast "
        "group_reduce group_scan_exclusive group_scan_inclusive inclusive_scan_over_group "
        "none_of_group permute_group_by_xor reduce_over_group select_from_group shift_group_left "
        "shift_group_right"
    ),
    "lang.groups": "device_event group h_item private_memory sub_group",
    "lang.item": "nd_item",
    "lang.joint": (
        "joint_all_of joint_any_of joint_exclusive_scan joint_inclusive_scan joint_none_of "
        "joint_reduce"
    ),
    "lang.kernel": "device_has kernel",
    "lang.marray": (
        "marray mbool16 mbool2 mbool3 mbool4 mbool8 mchar16 mchar2 mchar3 mchar4 mchar8 mdouble16 "
        "mdouble2 mdouble3 mdouble4 mdouble8 mfloat16 mfloat2 mfloat3 mfloat4 mfloat8 mhalf16 "
        "mhalf2 mhalf3 mhalf4 mhalf8 mint16 mint2 mint3 mint4 mint8 mlong16 mlong2 mlong3 mlong4 "
        "mlong8 mshort16 mshort2 mshort3 mshort4 mshort8 muchar16 muchar2 muchar3 muchar4 muchar8 "
        "muint16 muint2 muint3 muint4 muint8 mulong16 mulong2 mulong3 mulong4 mulong8 mushort16 "
        "mushort2 mushort3 mushort4 mushort8"
    ),
    "lang.math": (
        "abs abs_diff acos acosh acospi add_sat all any asin asinh asinpi atan atan2 atan2pi "
        "atanh atanpi bitselect cbrt ceil clamp clz copysign cos cosh cospi ctz degrees "
        "distance dot erf erfc exp exp10 exp2 expm1 fabs fast_distance fast_length "
        "fast_normalize fdim floor fma fmax fmin fmod fract frexp hadd hypot ilogb isequal "
        "isfinite isgreater isgreaterequal isinf isless islessequal islessgreater isnan "
        "isnormal isnotequal isordered isunordered ldexp length lgamma lgamma_r log log10 log1p "
        "log2 logb mad mad24 mad_hi mad_sat max maxmag min minmag mix modf mul24 mul_hi nan "
        "nextafter normalize popcount pow pown powr radians remainder remquo rhadd rint rootn "
        "rotate round rsqrt select sign signbit sin sincos sinh sinpi smoothstep sqrt step "
        "sub_sat tan tanh tanpi tgamma trunc upsample"
    ),
    "lang.memory": "private_array",
    "lang.namespaces": "half_precision native",
    "lang.pointer": (
        "address_space_cast constant_ptr decorated_generic_ptr decorated_global_ptr "
        "decorated_local_ptr decorated_private_ptr global_ptr local_ptr multi_ptr private_ptr "
        "raw_generic_ptr raw_global_ptr raw_local_ptr raw_private_ptr"
    ),
    "lang.range_item": "item",
    "lang.reducer": "reducer",
    "lang.specialization": "kernel_handler specialization_id",
    "lang.stream": (
        "dec defaultfloat endl fixed flush hex hexfloat noshowbase noshowpos oct printf scientific "
        "setprecision setw showbase showpos stream"
    ),
    "lang.struct": "is_device_copyable",
    "lang.this": "leader_of this_group this_nd_item this_sub_group",
    "lang.vec": (
        "char16 char2 char3 char4 char8 double16 double2 double3 double4 double8 float16 float2 "
        "float3 float4 float8 half16 half2 half3 half4 half8 int16 int2 int3 int4 int8 long16 "
        "long2 long3 long4 long8 short16 short2 short3 short4 short8 uchar16 uchar2 uchar3 uchar4 "
        "uchar8 uint16 uint2 uint3 uint4 uint8 ulong16 ulong2 ulong3 ulong4 ulong8 ushort16 "
        "ushort2 ushort3 ushort4 ushort8 vec"
    ),
}
_NAMES: dict[str, str] = {name: home for home, names in _HOMES.items() for name in names.split()}

_PACKAGES = ("compat12", "ext", "khr")
"""Packages below this one that are public, and are loaded when they are first used, too."""

__all__ = [*_NAMES]  # noqa: PLE0604 - strings, as the table's keys are


def _load(name: str) -> Any:
    """Load a public name on its first use."""
    home = _NAMES.get(name)
    if name in _PACKAGES:
        return importlib.import_module(f"unisycl.{name}")
    if home is None and _is_backend(name):
        return 1
    if home is None:
        raise AttributeError(f"module 'unisycl' has no attribute '{name}'{_hint(name)}")
    value = getattr(importlib.import_module(f"unisycl.{home}"), name)
    globals()[name] = value
    return value


def _is_backend(name: str) -> bool:
    """Say whether a name is SYCL's constant of a backend there is (SYCL 2020 §4.1)."""
    word = name.removeprefix("SYCL_BACKEND_")
    if word == name or not word.isupper():
        return False
    return word.lower() in importlib.import_module("unisycl.backends.registry").BACKENDS


forking.watch()

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
    return sorted([*_NAMES, *_PACKAGES, "__version__"])
