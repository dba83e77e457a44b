# Made by `python -m tests.arch.stubs` from unisycl/public_names.py.
from unisycl import compat12 as compat12
from unisycl import ext as ext
from unisycl import khr as khr
from unisycl.api.bundles.functions import build as build
from unisycl.api.bundles.functions import compile as compile
from unisycl.api.bundles.functions import get_kernel_bundle as get_kernel_bundle
from unisycl.api.bundles.functions import has_kernel_bundle as has_kernel_bundle
from unisycl.api.bundles.functions import is_compatible as is_compatible
from unisycl.api.bundles.functions import join as join
from unisycl.api.bundles.functions import link as link
from unisycl.api.bundles.kernel_bundle import device_image as device_image
from unisycl.api.bundles.kernel_bundle import kernel_bundle as kernel_bundle
from unisycl.api.bundles.native_kernel import native_kernel as native_kernel
from unisycl.api.devices.context import context as context
from unisycl.api.devices.device import all_devices_have as all_devices_have
from unisycl.api.devices.device import any_device_has as any_device_has
from unisycl.api.devices.device import device as device
from unisycl.api.devices.device import platform as platform
from unisycl.api.devices.info import info as info
from unisycl.api.devices.selector import accelerator_selector_v as accelerator_selector_v
from unisycl.api.devices.selector import aspect_selector as aspect_selector
from unisycl.api.devices.selector import cpu_selector_v as cpu_selector_v
from unisycl.api.devices.selector import default_selector_v as default_selector_v
from unisycl.api.devices.selector import gpu_selector_v as gpu_selector_v
from unisycl.api.devices.selector import host_selector_v as host_selector_v
from unisycl.api.images.image import sampled_image as sampled_image
from unisycl.api.images.image import unsampled_image as unsampled_image
from unisycl.api.images.image_accessor import host_sampled_image_accessor as host_sampled_image_accessor
from unisycl.api.images.image_accessor import host_unsampled_image_accessor as host_unsampled_image_accessor
from unisycl.api.images.image_accessor import sampled_image_accessor as sampled_image_accessor
from unisycl.api.images.image_accessor import unsampled_image_accessor as unsampled_image_accessor
from unisycl.api.interop.make import make_buffer as make_buffer
from unisycl.api.interop.make import make_context as make_context
from unisycl.api.interop.make import make_device as make_device
from unisycl.api.interop.make import make_event as make_event
from unisycl.api.interop.make import make_kernel as make_kernel
from unisycl.api.interop.make import make_kernel_bundle as make_kernel_bundle
from unisycl.api.interop.make import make_platform as make_platform
from unisycl.api.interop.make import make_queue as make_queue
from unisycl.api.interop.make import make_sampled_image as make_sampled_image
from unisycl.api.interop.make import make_unsampled_image as make_unsampled_image
from unisycl.api.interop.native_objects import get_native as get_native
from unisycl.api.interop.native_objects import interop_handle as interop_handle
from unisycl.api.interop.opencl import opencl as opencl
from unisycl.api.memory.access import read_only as read_only
from unisycl.api.memory.access import read_only_host_task as read_only_host_task
from unisycl.api.memory.access import read_write as read_write
from unisycl.api.memory.access import read_write_host_task as read_write_host_task
from unisycl.api.memory.access import write_only as write_only
from unisycl.api.memory.access import write_only_host_task as write_only_host_task
from unisycl.api.public_types import accessor as accessor
from unisycl.api.public_types import local_accessor as local_accessor
from unisycl.api.memory.allocators import buffer_allocator as buffer_allocator
from unisycl.api.memory.allocators import image_allocator as image_allocator
from unisycl.api.memory.allocators import usm_allocator as usm_allocator
from unisycl.api.public_types import buffer as buffer
from unisycl.api.memory.exchange import from_dlpack as from_dlpack
from unisycl.api.memory.exchange import from_usm_array as from_usm_array
from unisycl.api.public_types import host_accessor as host_accessor
from unisycl.api.memory.shared_ptr import shared_ptr as shared_ptr
from unisycl.api.public_types import aligned_alloc as aligned_alloc
from unisycl.api.public_types import aligned_alloc_device as aligned_alloc_device
from unisycl.api.public_types import aligned_alloc_host as aligned_alloc_host
from unisycl.api.public_types import aligned_alloc_shared as aligned_alloc_shared
from unisycl.api.public_types import free as free
from unisycl.api.memory.usm import get_pointer_device as get_pointer_device
from unisycl.api.memory.usm import get_pointer_type as get_pointer_type
from unisycl.api.public_types import malloc as malloc
from unisycl.api.public_types import malloc_device as malloc_device
from unisycl.api.public_types import malloc_host as malloc_host
from unisycl.api.public_types import malloc_shared as malloc_shared
from unisycl.api.memory.usm import usm as usm
from unisycl.api.public_types import usm_pointer as usm_pointer
from unisycl.api.properties import is_property as is_property
from unisycl.api.properties import is_property_of as is_property_of
from unisycl.api.properties import no_init as no_init
from unisycl.api.properties import property as property
from unisycl.api.properties import property_list as property_list
from unisycl.api.queue.bound_kernel import bound_kernel as bound_kernel
from unisycl.api.queue.event import event as event
from unisycl.api.public_types import handler as handler
from unisycl.api.queue.queue import queue as queue
from unisycl.api.queue.recording import recording as recording
from unisycl.api.queue.reduction import reduction as reduction
from unisycl.api.queue.reduction import span as span
from unisycl.base.enums import access as access
from unisycl.base.enums import access_mode as access_mode
from unisycl.base.enums import address_space as address_space
from unisycl.base.enums import aspect as aspect
from unisycl.base.enums import backend as backend
from unisycl.base.enums import bundle_state as bundle_state
from unisycl.base.enums import decorated as decorated
from unisycl.base.enums import fence_space as fence_space
from unisycl.base.enums import memory_order as memory_order
from unisycl.base.enums import memory_scope as memory_scope
from unisycl.base.enums import rounding_mode as rounding_mode
from unisycl.base.enums import stream_manipulator as stream_manipulator
from unisycl.base.enums import target as target
from unisycl.base.errors import BuildError as BuildError
from unisycl.base.errors import DeviceError as DeviceError
from unisycl.base.errors import Diagnostic as Diagnostic
from unisycl.base.errors import InternalError as InternalError
from unisycl.base.errors import KernelError as KernelError
from unisycl.base.errors import KernelWarning as KernelWarning
from unisycl.base.errors import UnsupportedError as UnsupportedError
from unisycl.base.errors import UsageError as UsageError
from unisycl.base.errors import errc as errc
from unisycl.base.errors import error_category as error_category
from unisycl.base.errors import error_code as error_code
from unisycl.base.errors import exception as exception
from unisycl.base.errors import exception_list as exception_list
from unisycl.base.errors import is_error_code_enum as is_error_code_enum
from unisycl.base.errors import make_error_code as make_error_code
from unisycl.base.errors import sycl_category as sycl_category
from unisycl.base.features import SYCL_BACKEND_CPU as SYCL_BACKEND_CPU
from unisycl.base.features import SYCL_BACKEND_HOST as SYCL_BACKEND_HOST
from unisycl.base.features import SYCL_DEVICE_COPYABLE as SYCL_DEVICE_COPYABLE
from unisycl.base.features import SYCL_EXT_CODEPLAY_ENQUEUE_NATIVE_COMMAND as SYCL_EXT_CODEPLAY_ENQUEUE_NATIVE_COMMAND
from unisycl.base.features import SYCL_EXT_INTEL_BUFFER_LOCATION as SYCL_EXT_INTEL_BUFFER_LOCATION
from unisycl.base.features import SYCL_EXT_INTEL_DATAFLOW_PIPES as SYCL_EXT_INTEL_DATAFLOW_PIPES
from unisycl.base.features import SYCL_EXT_INTEL_FPGA_LSU as SYCL_EXT_INTEL_FPGA_LSU
from unisycl.base.features import SYCL_EXT_INTEL_FPGA_REG as SYCL_EXT_INTEL_FPGA_REG
from unisycl.base.features import SYCL_EXT_INTEL_MATRIX as SYCL_EXT_INTEL_MATRIX
from unisycl.base.features import SYCL_EXT_INTEL_MEM_CHANNEL_PROPERTY as SYCL_EXT_INTEL_MEM_CHANNEL_PROPERTY
from unisycl.base.features import SYCL_EXT_ONEAPI_ASYNC_MEMORY_ALLOC as SYCL_EXT_ONEAPI_ASYNC_MEMORY_ALLOC
from unisycl.base.features import SYCL_EXT_ONEAPI_AUTO_LOCAL_RANGE as SYCL_EXT_ONEAPI_AUTO_LOCAL_RANGE
from unisycl.base.features import SYCL_EXT_ONEAPI_BFLOAT16 as SYCL_EXT_ONEAPI_BFLOAT16
from unisycl.base.features import SYCL_EXT_ONEAPI_BFLOAT16_MATH_FUNCTIONS as SYCL_EXT_ONEAPI_BFLOAT16_MATH_FUNCTIONS
from unisycl.base.features import SYCL_EXT_ONEAPI_BINDLESS_IMAGES as SYCL_EXT_ONEAPI_BINDLESS_IMAGES
from unisycl.base.features import SYCL_EXT_ONEAPI_CHUNK as SYCL_EXT_ONEAPI_CHUNK
from unisycl.base.features import SYCL_EXT_ONEAPI_DEFAULT_CONTEXT as SYCL_EXT_ONEAPI_DEFAULT_CONTEXT
from unisycl.base.features import SYCL_EXT_ONEAPI_DEVICE_ARCHITECTURE as SYCL_EXT_ONEAPI_DEVICE_ARCHITECTURE
from unisycl.base.features import SYCL_EXT_ONEAPI_DEVICE_GLOBAL as SYCL_EXT_ONEAPI_DEVICE_GLOBAL
from unisycl.base.features import SYCL_EXT_ONEAPI_DEVICE_IF as SYCL_EXT_ONEAPI_DEVICE_IF
from unisycl.base.features import SYCL_EXT_ONEAPI_DISCARD_QUEUE_EVENTS as SYCL_EXT_ONEAPI_DISCARD_QUEUE_EVENTS
from unisycl.base.features import SYCL_EXT_ONEAPI_ENQUEUE_BARRIER as SYCL_EXT_ONEAPI_ENQUEUE_BARRIER
from unisycl.base.features import SYCL_EXT_ONEAPI_ENQUEUE_FUNCTIONS as SYCL_EXT_ONEAPI_ENQUEUE_FUNCTIONS
from unisycl.base.features import SYCL_EXT_ONEAPI_FORWARD_PROGRESS as SYCL_EXT_ONEAPI_FORWARD_PROGRESS
from unisycl.base.features import SYCL_EXT_ONEAPI_FRAGMENT as SYCL_EXT_ONEAPI_FRAGMENT
from unisycl.base.features import SYCL_EXT_ONEAPI_FREE_FUNCTION_KERNELS as SYCL_EXT_ONEAPI_FREE_FUNCTION_KERNELS
from unisycl.base.features import SYCL_EXT_ONEAPI_FREE_FUNCTION_QUERIES as SYCL_EXT_ONEAPI_FREE_FUNCTION_QUERIES
from unisycl.base.features import SYCL_EXT_ONEAPI_GRAPH as SYCL_EXT_ONEAPI_GRAPH
from unisycl.base.features import SYCL_EXT_ONEAPI_GROUP_LOAD_STORE as SYCL_EXT_ONEAPI_GROUP_LOAD_STORE
from unisycl.base.features import SYCL_EXT_ONEAPI_GROUP_OCCUPANCY_QUERIES as SYCL_EXT_ONEAPI_GROUP_OCCUPANCY_QUERIES
from unisycl.base.features import SYCL_EXT_ONEAPI_GROUP_SORT as SYCL_EXT_ONEAPI_GROUP_SORT
from unisycl.base.features import SYCL_EXT_ONEAPI_INTER_PROCESS_COMMUNICATION as SYCL_EXT_ONEAPI_INTER_PROCESS_COMMUNICATION
from unisycl.base.features import SYCL_EXT_ONEAPI_IN_ORDER_QUEUE_EVENTS as SYCL_EXT_ONEAPI_IN_ORDER_QUEUE_EVENTS
from unisycl.base.features import SYCL_EXT_ONEAPI_KERNEL_COMPILER as SYCL_EXT_ONEAPI_KERNEL_COMPILER
from unisycl.base.features import SYCL_EXT_ONEAPI_KERNEL_COMPILER_OPENCL as SYCL_EXT_ONEAPI_KERNEL_COMPILER_OPENCL
from unisycl.base.features import SYCL_EXT_ONEAPI_KERNEL_COMPILER_SPIRV as SYCL_EXT_ONEAPI_KERNEL_COMPILER_SPIRV
from unisycl.base.features import SYCL_EXT_ONEAPI_KERNEL_PROPERTIES as SYCL_EXT_ONEAPI_KERNEL_PROPERTIES
from unisycl.base.features import SYCL_EXT_ONEAPI_LAUNCH_QUERIES as SYCL_EXT_ONEAPI_LAUNCH_QUERIES
from unisycl.base.features import SYCL_EXT_ONEAPI_LOCAL_MEMORY as SYCL_EXT_ONEAPI_LOCAL_MEMORY
from unisycl.base.features import SYCL_EXT_ONEAPI_MATRIX as SYCL_EXT_ONEAPI_MATRIX
from unisycl.base.features import SYCL_EXT_ONEAPI_MAX_WORK_GROUP_QUERY as SYCL_EXT_ONEAPI_MAX_WORK_GROUP_QUERY
from unisycl.base.features import SYCL_EXT_ONEAPI_MEMCPY2D as SYCL_EXT_ONEAPI_MEMCPY2D
from unisycl.base.features import SYCL_EXT_ONEAPI_NON_UNIFORM_GROUPS as SYCL_EXT_ONEAPI_NON_UNIFORM_GROUPS
from unisycl.base.features import SYCL_EXT_ONEAPI_PEER_ACCESS as SYCL_EXT_ONEAPI_PEER_ACCESS
from unisycl.base.features import SYCL_EXT_ONEAPI_PROD as SYCL_EXT_ONEAPI_PROD
from unisycl.base.features import SYCL_EXT_ONEAPI_PROFILING_TAG as SYCL_EXT_ONEAPI_PROFILING_TAG
from unisycl.base.features import SYCL_EXT_ONEAPI_PROPERTIES as SYCL_EXT_ONEAPI_PROPERTIES
from unisycl.base.features import SYCL_EXT_ONEAPI_QUEUE_EMPTY as SYCL_EXT_ONEAPI_QUEUE_EMPTY
from unisycl.base.features import SYCL_EXT_ONEAPI_QUEUE_PRIORITY as SYCL_EXT_ONEAPI_QUEUE_PRIORITY
from unisycl.base.features import SYCL_EXT_ONEAPI_ROOT_GROUP as SYCL_EXT_ONEAPI_ROOT_GROUP
from unisycl.base.features import SYCL_EXT_ONEAPI_SUB_GROUP_MASK as SYCL_EXT_ONEAPI_SUB_GROUP_MASK
from unisycl.base.features import SYCL_EXT_ONEAPI_TANGLE as SYCL_EXT_ONEAPI_TANGLE
from unisycl.base.features import SYCL_EXT_ONEAPI_USM_DEVICE_READ_ONLY as SYCL_EXT_ONEAPI_USM_DEVICE_READ_ONLY
from unisycl.base.features import SYCL_EXT_ONEAPI_VIRTUAL_MEM as SYCL_EXT_ONEAPI_VIRTUAL_MEM
from unisycl.base.features import SYCL_EXT_ONEAPI_WORK_GROUP_MEMORY as SYCL_EXT_ONEAPI_WORK_GROUP_MEMORY
from unisycl.base.features import SYCL_EXT_ONEAPI_WORK_GROUP_SCRATCH_MEMORY as SYCL_EXT_ONEAPI_WORK_GROUP_SCRATCH_MEMORY
from unisycl.base.features import SYCL_EXT_UNISYCL_ARRAYS as SYCL_EXT_UNISYCL_ARRAYS
from unisycl.base.features import SYCL_EXT_UNISYCL_DEVICE_ENQUEUE as SYCL_EXT_UNISYCL_DEVICE_ENQUEUE
from unisycl.base.features import SYCL_EXT_UNISYCL_DISTR_QUEUE as SYCL_EXT_UNISYCL_DISTR_QUEUE
from unisycl.base.features import SYCL_EXT_UNISYCL_EVENTS as SYCL_EXT_UNISYCL_EVENTS
from unisycl.base.features import SYCL_EXT_UNISYCL_EXTERN as SYCL_EXT_UNISYCL_EXTERN
from unisycl.base.features import SYCL_EXT_UNISYCL_GRAPH_CONTROL as SYCL_EXT_UNISYCL_GRAPH_CONTROL
from unisycl.base.features import SYCL_EXT_UNISYCL_GRAPH_FILES as SYCL_EXT_UNISYCL_GRAPH_FILES
from unisycl.base.features import SYCL_EXT_UNISYCL_GROUP_MATCH as SYCL_EXT_UNISYCL_GROUP_MATCH
from unisycl.base.features import SYCL_EXT_UNISYCL_MAP as SYCL_EXT_UNISYCL_MAP
from unisycl.base.features import SYCL_EXT_UNISYCL_NON_UNIFORM_GROUPS as SYCL_EXT_UNISYCL_NON_UNIFORM_GROUPS
from unisycl.base.features import SYCL_EXT_UNISYCL_NUMPY_ALLOCATOR as SYCL_EXT_UNISYCL_NUMPY_ALLOCATOR
from unisycl.base.features import SYCL_EXT_UNISYCL_TILES as SYCL_EXT_UNISYCL_TILES
from unisycl.base.features import SYCL_FEATURE_SET_FULL as SYCL_FEATURE_SET_FULL
from unisycl.base.features import SYCL_IMPLEMENTATION_UNISYCL as SYCL_IMPLEMENTATION_UNISYCL
from unisycl.base.features import SYCL_KHR_DEFAULT_CONTEXT as SYCL_KHR_DEFAULT_CONTEXT
from unisycl.base.features import SYCL_KHR_DYNAMIC_ADDRSPACE_CAST as SYCL_KHR_DYNAMIC_ADDRSPACE_CAST
from unisycl.base.features import SYCL_KHR_FREE_FUNCTION_COMMANDS as SYCL_KHR_FREE_FUNCTION_COMMANDS
from unisycl.base.features import SYCL_KHR_GROUP_INTERFACE as SYCL_KHR_GROUP_INTERFACE
from unisycl.base.features import SYCL_KHR_INCLUDES as SYCL_KHR_INCLUDES
from unisycl.base.features import SYCL_KHR_MAX_NUM_WORK_GROUPS as SYCL_KHR_MAX_NUM_WORK_GROUPS
from unisycl.base.features import SYCL_KHR_MAX_WORK_GROUP_QUERIES as SYCL_KHR_MAX_WORK_GROUP_QUERIES
from unisycl.base.features import SYCL_KHR_PROPERTIES as SYCL_KHR_PROPERTIES
from unisycl.base.features import SYCL_KHR_QUEUE_EMPTY_QUERY as SYCL_KHR_QUEUE_EMPTY_QUERY
from unisycl.base.features import SYCL_KHR_QUEUE_FLUSH as SYCL_KHR_QUEUE_FLUSH
from unisycl.base.features import SYCL_KHR_SPLIT_HEADERS as SYCL_KHR_SPLIT_HEADERS
from unisycl.base.features import SYCL_KHR_STATIC_ADDRSPACE_CAST as SYCL_KHR_STATIC_ADDRSPACE_CAST
from unisycl.base.features import SYCL_KHR_WORK_ITEM_QUERIES as SYCL_KHR_WORK_ITEM_QUERIES
from unisycl.base.features import SYCL_LANGUAGE_VERSION as SYCL_LANGUAGE_VERSION
from unisycl.base.geometry import id as id
from unisycl.base.geometry import nd_range as nd_range
from unisycl.base.geometry import range as range
from unisycl.base.image_formats import addressing_mode as addressing_mode
from unisycl.base.image_formats import coordinate_normalization_mode as coordinate_normalization_mode
from unisycl.base.image_formats import filtering_mode as filtering_mode
from unisycl.base.image_formats import image_channel_order as image_channel_order
from unisycl.base.image_formats import image_channel_type as image_channel_type
from unisycl.base.image_formats import image_format as image_format
from unisycl.base.image_formats import image_sampler as image_sampler
from unisycl.base.image_formats import image_target as image_target
from unisycl.base.version import cl_version as cl_version
from unisycl.base.version import make_version as make_version
from unisycl.base.version import name_version as name_version
from unisycl.lang.groups.group_functions import all_of_group as all_of_group
from unisycl.lang.groups.group_functions import any_of_group as any_of_group
from unisycl.lang.groups.group_functions import exclusive_scan_over_group as exclusive_scan_over_group
from unisycl.lang.groups.group_functions import group_barrier as group_barrier
from unisycl.lang.groups.group_functions import group_broadcast as group_broadcast
from unisycl.lang.groups.group_functions import group_reduce as group_reduce
from unisycl.lang.groups.group_functions import group_scan_exclusive as group_scan_exclusive
from unisycl.lang.groups.group_functions import group_scan_inclusive as group_scan_inclusive
from unisycl.lang.groups.group_functions import inclusive_scan_over_group as inclusive_scan_over_group
from unisycl.lang.groups.group_functions import none_of_group as none_of_group
from unisycl.lang.groups.group_functions import permute_group_by_xor as permute_group_by_xor
from unisycl.lang.groups.group_functions import reduce_over_group as reduce_over_group
from unisycl.lang.groups.group_functions import select_from_group as select_from_group
from unisycl.lang.groups.group_functions import shift_group_left as shift_group_left
from unisycl.lang.groups.group_functions import shift_group_right as shift_group_right
from unisycl.lang.groups.reducer import reducer as reducer
from unisycl.lang.index.environment import SYCL_EXTERNAL as SYCL_EXTERNAL
from unisycl.lang.index.environment import device_only as device_only
from unisycl.lang.index.environment import fast_relaxed_math as fast_relaxed_math
from unisycl.lang.index.environment import single_source as single_source
from unisycl.lang.index.environment import target_spir as target_spir
from unisycl.lang.index.groups import device_event as device_event
from unisycl.lang.index.groups import group as group
from unisycl.lang.index.groups import h_item as h_item
from unisycl.lang.index.groups import private_memory as private_memory
from unisycl.lang.index.groups import sub_group as sub_group
from unisycl.lang.index.item import item as item
from unisycl.lang.index.nd_item import nd_item as nd_item
from unisycl.lang.index.this import leader_of as leader_of
from unisycl.lang.index.this import this_group as this_group
from unisycl.lang.index.this import this_nd_item as this_nd_item
from unisycl.lang.index.this import this_sub_group as this_sub_group
from unisycl.lang.kernels.kernel import device_has as device_has
from unisycl.lang.kernels.kernel import kernel as kernel
from unisycl.lang.kernels.kernel_id import get_kernel_id as get_kernel_id
from unisycl.lang.kernels.kernel_id import get_kernel_ids as get_kernel_ids
from unisycl.lang.kernels.kernel_id import kernel_id as kernel_id
from unisycl.lang.kernels.specialization import kernel_handler as kernel_handler
from unisycl.lang.kernels.specialization import specialization_id as specialization_id
from unisycl.lang.kernels.stream import dec as dec
from unisycl.lang.kernels.stream import defaultfloat as defaultfloat
from unisycl.lang.kernels.stream import endl as endl
from unisycl.lang.kernels.stream import fixed as fixed
from unisycl.lang.kernels.stream import flush as flush
from unisycl.lang.kernels.stream import hex as hex
from unisycl.lang.kernels.stream import hexfloat as hexfloat
from unisycl.lang.kernels.stream import noshowbase as noshowbase
from unisycl.lang.kernels.stream import noshowpos as noshowpos
from unisycl.lang.kernels.stream import oct as oct
from unisycl.lang.kernels.stream import printf as printf
from unisycl.lang.kernels.stream import scientific as scientific
from unisycl.lang.kernels.stream import setprecision as setprecision
from unisycl.lang.kernels.stream import setw as setw
from unisycl.lang.kernels.stream import showbase as showbase
from unisycl.lang.kernels.stream import showpos as showpos
from unisycl.lang.kernels.stream import stream as stream
from unisycl.lang.library.joint import joint_all_of as joint_all_of
from unisycl.lang.library.joint import joint_any_of as joint_any_of
from unisycl.lang.library.joint import joint_exclusive_scan as joint_exclusive_scan
from unisycl.lang.library.joint import joint_inclusive_scan as joint_inclusive_scan
from unisycl.lang.library.joint import joint_none_of as joint_none_of
from unisycl.lang.library.joint import joint_reduce as joint_reduce
from unisycl.lang.memory.atomic import atomic_fence as atomic_fence
from unisycl.lang.memory.atomic import atomic_ref as atomic_ref
from unisycl.lang.memory.pointer import address_space_cast as address_space_cast
from unisycl.lang.memory.pointer import constant_ptr as constant_ptr
from unisycl.lang.memory.pointer import decorated_generic_ptr as decorated_generic_ptr
from unisycl.lang.memory.pointer import decorated_global_ptr as decorated_global_ptr
from unisycl.lang.memory.pointer import decorated_local_ptr as decorated_local_ptr
from unisycl.lang.memory.pointer import decorated_private_ptr as decorated_private_ptr
from unisycl.lang.memory.pointer import global_ptr as global_ptr
from unisycl.lang.memory.pointer import local_ptr as local_ptr
from unisycl.lang.memory.pointer import multi_ptr as multi_ptr
from unisycl.lang.memory.pointer import private_ptr as private_ptr
from unisycl.lang.memory.pointer import raw_generic_ptr as raw_generic_ptr
from unisycl.lang.memory.pointer import raw_global_ptr as raw_global_ptr
from unisycl.lang.memory.pointer import raw_local_ptr as raw_local_ptr
from unisycl.lang.memory.pointer import raw_private_ptr as raw_private_ptr
from unisycl.lang.memory.records import is_device_copyable as is_device_copyable
from unisycl.lang.memory.views import private_array as private_array
from unisycl.lang.numbers.bits import bit_cast as bit_cast
from unisycl.lang.numbers.function_objects import bit_and as bit_and
from unisycl.lang.numbers.function_objects import bit_or as bit_or
from unisycl.lang.numbers.function_objects import bit_xor as bit_xor
from unisycl.lang.numbers.function_objects import has_known_identity as has_known_identity
from unisycl.lang.numbers.function_objects import known_identity as known_identity
from unisycl.lang.numbers.function_objects import logical_and as logical_and
from unisycl.lang.numbers.function_objects import logical_or as logical_or
from unisycl.lang.numbers.function_objects import maximum as maximum
from unisycl.lang.numbers.function_objects import minimum as minimum
from unisycl.lang.numbers.function_objects import multiplies as multiplies
from unisycl.lang.numbers.function_objects import plus as plus
from unisycl.lang.numbers.geometric import cross as cross
from unisycl.lang.numbers.marray import marray as marray
from unisycl.lang.numbers.marray import mbool16 as mbool16
from unisycl.lang.numbers.marray import mbool2 as mbool2
from unisycl.lang.numbers.marray import mbool3 as mbool3
from unisycl.lang.numbers.marray import mbool4 as mbool4
from unisycl.lang.numbers.marray import mbool8 as mbool8
from unisycl.lang.numbers.marray import mchar16 as mchar16
from unisycl.lang.numbers.marray import mchar2 as mchar2
from unisycl.lang.numbers.marray import mchar3 as mchar3
from unisycl.lang.numbers.marray import mchar4 as mchar4
from unisycl.lang.numbers.marray import mchar8 as mchar8
from unisycl.lang.numbers.marray import mdouble16 as mdouble16
from unisycl.lang.numbers.marray import mdouble2 as mdouble2
from unisycl.lang.numbers.marray import mdouble3 as mdouble3
from unisycl.lang.numbers.marray import mdouble4 as mdouble4
from unisycl.lang.numbers.marray import mdouble8 as mdouble8
from unisycl.lang.numbers.marray import mfloat16 as mfloat16
from unisycl.lang.numbers.marray import mfloat2 as mfloat2
from unisycl.lang.numbers.marray import mfloat3 as mfloat3
from unisycl.lang.numbers.marray import mfloat4 as mfloat4
from unisycl.lang.numbers.marray import mfloat8 as mfloat8
from unisycl.lang.numbers.marray import mhalf16 as mhalf16
from unisycl.lang.numbers.marray import mhalf2 as mhalf2
from unisycl.lang.numbers.marray import mhalf3 as mhalf3
from unisycl.lang.numbers.marray import mhalf4 as mhalf4
from unisycl.lang.numbers.marray import mhalf8 as mhalf8
from unisycl.lang.numbers.marray import mint16 as mint16
from unisycl.lang.numbers.marray import mint2 as mint2
from unisycl.lang.numbers.marray import mint3 as mint3
from unisycl.lang.numbers.marray import mint4 as mint4
from unisycl.lang.numbers.marray import mint8 as mint8
from unisycl.lang.numbers.marray import mlong16 as mlong16
from unisycl.lang.numbers.marray import mlong2 as mlong2
from unisycl.lang.numbers.marray import mlong3 as mlong3
from unisycl.lang.numbers.marray import mlong4 as mlong4
from unisycl.lang.numbers.marray import mlong8 as mlong8
from unisycl.lang.numbers.marray import mshort16 as mshort16
from unisycl.lang.numbers.marray import mshort2 as mshort2
from unisycl.lang.numbers.marray import mshort3 as mshort3
from unisycl.lang.numbers.marray import mshort4 as mshort4
from unisycl.lang.numbers.marray import mshort8 as mshort8
from unisycl.lang.numbers.marray import muchar16 as muchar16
from unisycl.lang.numbers.marray import muchar2 as muchar2
from unisycl.lang.numbers.marray import muchar3 as muchar3
from unisycl.lang.numbers.marray import muchar4 as muchar4
from unisycl.lang.numbers.marray import muchar8 as muchar8
from unisycl.lang.numbers.marray import muint16 as muint16
from unisycl.lang.numbers.marray import muint2 as muint2
from unisycl.lang.numbers.marray import muint3 as muint3
from unisycl.lang.numbers.marray import muint4 as muint4
from unisycl.lang.numbers.marray import muint8 as muint8
from unisycl.lang.numbers.marray import mulong16 as mulong16
from unisycl.lang.numbers.marray import mulong2 as mulong2
from unisycl.lang.numbers.marray import mulong3 as mulong3
from unisycl.lang.numbers.marray import mulong4 as mulong4
from unisycl.lang.numbers.marray import mulong8 as mulong8
from unisycl.lang.numbers.marray import mushort16 as mushort16
from unisycl.lang.numbers.marray import mushort2 as mushort2
from unisycl.lang.numbers.marray import mushort3 as mushort3
from unisycl.lang.numbers.marray import mushort4 as mushort4
from unisycl.lang.numbers.marray import mushort8 as mushort8
from unisycl.lang.numbers.math import abs as abs
from unisycl.lang.numbers.math import abs_diff as abs_diff
from unisycl.lang.numbers.math import acos as acos
from unisycl.lang.numbers.math import acosh as acosh
from unisycl.lang.numbers.math import acospi as acospi
from unisycl.lang.numbers.math import add_sat as add_sat
from unisycl.lang.numbers.math import all as all
from unisycl.lang.numbers.math import any as any
from unisycl.lang.numbers.math import asin as asin
from unisycl.lang.numbers.math import asinh as asinh
from unisycl.lang.numbers.math import asinpi as asinpi
from unisycl.lang.numbers.math import atan as atan
from unisycl.lang.numbers.math import atan2 as atan2
from unisycl.lang.numbers.math import atan2pi as atan2pi
from unisycl.lang.numbers.math import atanh as atanh
from unisycl.lang.numbers.math import atanpi as atanpi
from unisycl.lang.numbers.math import bitselect as bitselect
from unisycl.lang.numbers.math import cbrt as cbrt
from unisycl.lang.numbers.math import ceil as ceil
from unisycl.lang.numbers.math import clamp as clamp
from unisycl.lang.numbers.math import clz as clz
from unisycl.lang.numbers.math import copysign as copysign
from unisycl.lang.numbers.math import cos as cos
from unisycl.lang.numbers.math import cosh as cosh
from unisycl.lang.numbers.math import cospi as cospi
from unisycl.lang.numbers.math import ctz as ctz
from unisycl.lang.numbers.math import degrees as degrees
from unisycl.lang.numbers.math import distance as distance
from unisycl.lang.numbers.math import dot as dot
from unisycl.lang.numbers.math import erf as erf
from unisycl.lang.numbers.math import erfc as erfc
from unisycl.lang.numbers.math import exp as exp
from unisycl.lang.numbers.math import exp10 as exp10
from unisycl.lang.numbers.math import exp2 as exp2
from unisycl.lang.numbers.math import expm1 as expm1
from unisycl.lang.numbers.math import fabs as fabs
from unisycl.lang.numbers.math import fast_distance as fast_distance
from unisycl.lang.numbers.math import fast_length as fast_length
from unisycl.lang.numbers.math import fast_normalize as fast_normalize
from unisycl.lang.numbers.math import fdim as fdim
from unisycl.lang.numbers.math import floor as floor
from unisycl.lang.numbers.math import fma as fma
from unisycl.lang.numbers.math import fmax as fmax
from unisycl.lang.numbers.math import fmin as fmin
from unisycl.lang.numbers.math import fmod as fmod
from unisycl.lang.numbers.math import fract as fract
from unisycl.lang.numbers.math import frexp as frexp
from unisycl.lang.numbers.math import hadd as hadd
from unisycl.lang.numbers.math import hypot as hypot
from unisycl.lang.numbers.math import ilogb as ilogb
from unisycl.lang.numbers.math import isequal as isequal
from unisycl.lang.numbers.math import isfinite as isfinite
from unisycl.lang.numbers.math import isgreater as isgreater
from unisycl.lang.numbers.math import isgreaterequal as isgreaterequal
from unisycl.lang.numbers.math import isinf as isinf
from unisycl.lang.numbers.math import isless as isless
from unisycl.lang.numbers.math import islessequal as islessequal
from unisycl.lang.numbers.math import islessgreater as islessgreater
from unisycl.lang.numbers.math import isnan as isnan
from unisycl.lang.numbers.math import isnormal as isnormal
from unisycl.lang.numbers.math import isnotequal as isnotequal
from unisycl.lang.numbers.math import isordered as isordered
from unisycl.lang.numbers.math import isunordered as isunordered
from unisycl.lang.numbers.math import ldexp as ldexp
from unisycl.lang.numbers.math import length as length
from unisycl.lang.numbers.math import lgamma as lgamma
from unisycl.lang.numbers.math import lgamma_r as lgamma_r
from unisycl.lang.numbers.math import log as log
from unisycl.lang.numbers.math import log10 as log10
from unisycl.lang.numbers.math import log1p as log1p
from unisycl.lang.numbers.math import log2 as log2
from unisycl.lang.numbers.math import logb as logb
from unisycl.lang.numbers.math import mad as mad
from unisycl.lang.numbers.math import mad24 as mad24
from unisycl.lang.numbers.math import mad_hi as mad_hi
from unisycl.lang.numbers.math import mad_sat as mad_sat
from unisycl.lang.numbers.math import max as max
from unisycl.lang.numbers.math import maxmag as maxmag
from unisycl.lang.numbers.math import min as min
from unisycl.lang.numbers.math import minmag as minmag
from unisycl.lang.numbers.math import mix as mix
from unisycl.lang.numbers.math import modf as modf
from unisycl.lang.numbers.math import mul24 as mul24
from unisycl.lang.numbers.math import mul_hi as mul_hi
from unisycl.lang.numbers.math import nan as nan
from unisycl.lang.numbers.math import nextafter as nextafter
from unisycl.lang.numbers.math import normalize as normalize
from unisycl.lang.numbers.math import popcount as popcount
from unisycl.lang.numbers.math import pow as pow
from unisycl.lang.numbers.math import pown as pown
from unisycl.lang.numbers.math import powr as powr
from unisycl.lang.numbers.math import radians as radians
from unisycl.lang.numbers.math import remainder as remainder
from unisycl.lang.numbers.math import remquo as remquo
from unisycl.lang.numbers.math import rhadd as rhadd
from unisycl.lang.numbers.math import rint as rint
from unisycl.lang.numbers.math import rootn as rootn
from unisycl.lang.numbers.math import rotate as rotate
from unisycl.lang.numbers.math import round as round
from unisycl.lang.numbers.math import rsqrt as rsqrt
from unisycl.lang.numbers.math import select as select
from unisycl.lang.numbers.math import sign as sign
from unisycl.lang.numbers.math import signbit as signbit
from unisycl.lang.numbers.math import sin as sin
from unisycl.lang.numbers.math import sincos as sincos
from unisycl.lang.numbers.math import sinh as sinh
from unisycl.lang.numbers.math import sinpi as sinpi
from unisycl.lang.numbers.math import smoothstep as smoothstep
from unisycl.lang.numbers.math import sqrt as sqrt
from unisycl.lang.numbers.math import step as step
from unisycl.lang.numbers.math import sub_sat as sub_sat
from unisycl.lang.numbers.math import tan as tan
from unisycl.lang.numbers.math import tanh as tanh
from unisycl.lang.numbers.math import tanpi as tanpi
from unisycl.lang.numbers.math import tgamma as tgamma
from unisycl.lang.numbers.math import trunc as trunc
from unisycl.lang.numbers.math import upsample as upsample
from unisycl.lang.numbers.namespaces import half_precision as half_precision
from unisycl.lang.numbers.namespaces import native as native
from unisycl.lang.numbers.vec import char16 as char16
from unisycl.lang.numbers.vec import char2 as char2
from unisycl.lang.numbers.vec import char3 as char3
from unisycl.lang.numbers.vec import char4 as char4
from unisycl.lang.numbers.vec import char8 as char8
from unisycl.lang.numbers.vec import double16 as double16
from unisycl.lang.numbers.vec import double2 as double2
from unisycl.lang.numbers.vec import double3 as double3
from unisycl.lang.numbers.vec import double4 as double4
from unisycl.lang.numbers.vec import double8 as double8
from unisycl.lang.numbers.vec import float16 as float16
from unisycl.lang.numbers.vec import float2 as float2
from unisycl.lang.numbers.vec import float3 as float3
from unisycl.lang.numbers.vec import float4 as float4
from unisycl.lang.numbers.vec import float8 as float8
from unisycl.lang.numbers.vec import half16 as half16
from unisycl.lang.numbers.vec import half2 as half2
from unisycl.lang.numbers.vec import half3 as half3
from unisycl.lang.numbers.vec import half4 as half4
from unisycl.lang.numbers.vec import half8 as half8
from unisycl.lang.numbers.vec import int16 as int16
from unisycl.lang.numbers.vec import int2 as int2
from unisycl.lang.numbers.vec import int3 as int3
from unisycl.lang.numbers.vec import int4 as int4
from unisycl.lang.numbers.vec import int8 as int8
from unisycl.lang.numbers.vec import long16 as long16
from unisycl.lang.numbers.vec import long2 as long2
from unisycl.lang.numbers.vec import long3 as long3
from unisycl.lang.numbers.vec import long4 as long4
from unisycl.lang.numbers.vec import long8 as long8
from unisycl.lang.numbers.vec import short16 as short16
from unisycl.lang.numbers.vec import short2 as short2
from unisycl.lang.numbers.vec import short3 as short3
from unisycl.lang.numbers.vec import short4 as short4
from unisycl.lang.numbers.vec import short8 as short8
from unisycl.lang.numbers.vec import uchar16 as uchar16
from unisycl.lang.numbers.vec import uchar2 as uchar2
from unisycl.lang.numbers.vec import uchar3 as uchar3
from unisycl.lang.numbers.vec import uchar4 as uchar4
from unisycl.lang.numbers.vec import uchar8 as uchar8
from unisycl.lang.numbers.vec import uint16 as uint16
from unisycl.lang.numbers.vec import uint2 as uint2
from unisycl.lang.numbers.vec import uint3 as uint3
from unisycl.lang.numbers.vec import uint4 as uint4
from unisycl.lang.numbers.vec import uint8 as uint8
from unisycl.lang.numbers.vec import ulong16 as ulong16
from unisycl.lang.numbers.vec import ulong2 as ulong2
from unisycl.lang.numbers.vec import ulong3 as ulong3
from unisycl.lang.numbers.vec import ulong4 as ulong4
from unisycl.lang.numbers.vec import ulong8 as ulong8
from unisycl.lang.numbers.vec import ushort16 as ushort16
from unisycl.lang.numbers.vec import ushort2 as ushort2
from unisycl.lang.numbers.vec import ushort3 as ushort3
from unisycl.lang.numbers.vec import ushort4 as ushort4
from unisycl.lang.numbers.vec import ushort8 as ushort8
from unisycl.lang.numbers.vec import vec as vec
from unisycl.process.executed_texts import remember_exec as remember_exec

__all__ = [
    "BuildError",
    "DeviceError",
    "Diagnostic",
    "InternalError",
    "KernelError",
    "KernelWarning",
    "SYCL_BACKEND_CPU",
    "SYCL_BACKEND_HOST",
    "SYCL_DEVICE_COPYABLE",
    "SYCL_EXTERNAL",
    "SYCL_EXT_CODEPLAY_ENQUEUE_NATIVE_COMMAND",
    "SYCL_EXT_INTEL_BUFFER_LOCATION",
    "SYCL_EXT_INTEL_DATAFLOW_PIPES",
    "SYCL_EXT_INTEL_FPGA_LSU",
    "SYCL_EXT_INTEL_FPGA_REG",
    "SYCL_EXT_INTEL_MATRIX",
    "SYCL_EXT_INTEL_MEM_CHANNEL_PROPERTY",
    "SYCL_EXT_ONEAPI_ASYNC_MEMORY_ALLOC",
    "SYCL_EXT_ONEAPI_AUTO_LOCAL_RANGE",
    "SYCL_EXT_ONEAPI_BFLOAT16",
    "SYCL_EXT_ONEAPI_BFLOAT16_MATH_FUNCTIONS",
    "SYCL_EXT_ONEAPI_BINDLESS_IMAGES",
    "SYCL_EXT_ONEAPI_CHUNK",
    "SYCL_EXT_ONEAPI_DEFAULT_CONTEXT",
    "SYCL_EXT_ONEAPI_DEVICE_ARCHITECTURE",
    "SYCL_EXT_ONEAPI_DEVICE_GLOBAL",
    "SYCL_EXT_ONEAPI_DEVICE_IF",
    "SYCL_EXT_ONEAPI_DISCARD_QUEUE_EVENTS",
    "SYCL_EXT_ONEAPI_ENQUEUE_BARRIER",
    "SYCL_EXT_ONEAPI_ENQUEUE_FUNCTIONS",
    "SYCL_EXT_ONEAPI_FORWARD_PROGRESS",
    "SYCL_EXT_ONEAPI_FRAGMENT",
    "SYCL_EXT_ONEAPI_FREE_FUNCTION_KERNELS",
    "SYCL_EXT_ONEAPI_FREE_FUNCTION_QUERIES",
    "SYCL_EXT_ONEAPI_GRAPH",
    "SYCL_EXT_ONEAPI_GROUP_LOAD_STORE",
    "SYCL_EXT_ONEAPI_GROUP_OCCUPANCY_QUERIES",
    "SYCL_EXT_ONEAPI_GROUP_SORT",
    "SYCL_EXT_ONEAPI_INTER_PROCESS_COMMUNICATION",
    "SYCL_EXT_ONEAPI_IN_ORDER_QUEUE_EVENTS",
    "SYCL_EXT_ONEAPI_KERNEL_COMPILER",
    "SYCL_EXT_ONEAPI_KERNEL_COMPILER_OPENCL",
    "SYCL_EXT_ONEAPI_KERNEL_COMPILER_SPIRV",
    "SYCL_EXT_ONEAPI_KERNEL_PROPERTIES",
    "SYCL_EXT_ONEAPI_LAUNCH_QUERIES",
    "SYCL_EXT_ONEAPI_LOCAL_MEMORY",
    "SYCL_EXT_ONEAPI_MATRIX",
    "SYCL_EXT_ONEAPI_MAX_WORK_GROUP_QUERY",
    "SYCL_EXT_ONEAPI_MEMCPY2D",
    "SYCL_EXT_ONEAPI_NON_UNIFORM_GROUPS",
    "SYCL_EXT_ONEAPI_PEER_ACCESS",
    "SYCL_EXT_ONEAPI_PROD",
    "SYCL_EXT_ONEAPI_PROFILING_TAG",
    "SYCL_EXT_ONEAPI_PROPERTIES",
    "SYCL_EXT_ONEAPI_QUEUE_EMPTY",
    "SYCL_EXT_ONEAPI_QUEUE_PRIORITY",
    "SYCL_EXT_ONEAPI_ROOT_GROUP",
    "SYCL_EXT_ONEAPI_SUB_GROUP_MASK",
    "SYCL_EXT_ONEAPI_TANGLE",
    "SYCL_EXT_ONEAPI_USM_DEVICE_READ_ONLY",
    "SYCL_EXT_ONEAPI_VIRTUAL_MEM",
    "SYCL_EXT_ONEAPI_WORK_GROUP_MEMORY",
    "SYCL_EXT_ONEAPI_WORK_GROUP_SCRATCH_MEMORY",
    "SYCL_EXT_UNISYCL_ARRAYS",
    "SYCL_EXT_UNISYCL_DEVICE_ENQUEUE",
    "SYCL_EXT_UNISYCL_DISTR_QUEUE",
    "SYCL_EXT_UNISYCL_EVENTS",
    "SYCL_EXT_UNISYCL_EXTERN",
    "SYCL_EXT_UNISYCL_GRAPH_CONTROL",
    "SYCL_EXT_UNISYCL_GRAPH_FILES",
    "SYCL_EXT_UNISYCL_GROUP_MATCH",
    "SYCL_EXT_UNISYCL_MAP",
    "SYCL_EXT_UNISYCL_NON_UNIFORM_GROUPS",
    "SYCL_EXT_UNISYCL_NUMPY_ALLOCATOR",
    "SYCL_EXT_UNISYCL_TILES",
    "SYCL_FEATURE_SET_FULL",
    "SYCL_IMPLEMENTATION_UNISYCL",
    "SYCL_KHR_DEFAULT_CONTEXT",
    "SYCL_KHR_DYNAMIC_ADDRSPACE_CAST",
    "SYCL_KHR_FREE_FUNCTION_COMMANDS",
    "SYCL_KHR_GROUP_INTERFACE",
    "SYCL_KHR_INCLUDES",
    "SYCL_KHR_MAX_NUM_WORK_GROUPS",
    "SYCL_KHR_MAX_WORK_GROUP_QUERIES",
    "SYCL_KHR_PROPERTIES",
    "SYCL_KHR_QUEUE_EMPTY_QUERY",
    "SYCL_KHR_QUEUE_FLUSH",
    "SYCL_KHR_SPLIT_HEADERS",
    "SYCL_KHR_STATIC_ADDRSPACE_CAST",
    "SYCL_KHR_WORK_ITEM_QUERIES",
    "SYCL_LANGUAGE_VERSION",
    "UnsupportedError",
    "UsageError",
    "abs_diff",
    "accelerator_selector_v",
    "access",
    "access_mode",
    "accessor",
    "acos",
    "acosh",
    "acospi",
    "add_sat",
    "address_space",
    "address_space_cast",
    "addressing_mode",
    "aligned_alloc",
    "aligned_alloc_device",
    "aligned_alloc_host",
    "aligned_alloc_shared",
    "all_devices_have",
    "all_of_group",
    "any_device_has",
    "any_of_group",
    "asin",
    "asinh",
    "asinpi",
    "aspect",
    "aspect_selector",
    "atan",
    "atan2",
    "atan2pi",
    "atanh",
    "atanpi",
    "atomic_fence",
    "atomic_ref",
    "backend",
    "bit_and",
    "bit_cast",
    "bit_or",
    "bit_xor",
    "bitselect",
    "bound_kernel",
    "buffer",
    "buffer_allocator",
    "build",
    "bundle_state",
    "cbrt",
    "ceil",
    "char16",
    "char2",
    "char3",
    "char4",
    "char8",
    "cl_version",
    "clamp",
    "clz",
    "constant_ptr",
    "context",
    "coordinate_normalization_mode",
    "copysign",
    "cos",
    "cosh",
    "cospi",
    "cpu_selector_v",
    "cross",
    "ctz",
    "dec",
    "decorated",
    "decorated_generic_ptr",
    "decorated_global_ptr",
    "decorated_local_ptr",
    "decorated_private_ptr",
    "default_selector_v",
    "defaultfloat",
    "degrees",
    "device",
    "device_event",
    "device_has",
    "device_image",
    "device_only",
    "distance",
    "dot",
    "double16",
    "double2",
    "double3",
    "double4",
    "double8",
    "endl",
    "erf",
    "erfc",
    "errc",
    "error_category",
    "error_code",
    "event",
    "exception",
    "exception_list",
    "exclusive_scan_over_group",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fabs",
    "fast_distance",
    "fast_length",
    "fast_normalize",
    "fast_relaxed_math",
    "fdim",
    "fence_space",
    "filtering_mode",
    "fixed",
    "float16",
    "float2",
    "float3",
    "float4",
    "float8",
    "floor",
    "flush",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "fract",
    "free",
    "frexp",
    "from_dlpack",
    "from_usm_array",
    "get_kernel_bundle",
    "get_kernel_id",
    "get_kernel_ids",
    "get_native",
    "get_pointer_device",
    "get_pointer_type",
    "global_ptr",
    "gpu_selector_v",
    "group",
    "group_barrier",
    "group_broadcast",
    "group_reduce",
    "group_scan_exclusive",
    "group_scan_inclusive",
    "h_item",
    "hadd",
    "half16",
    "half2",
    "half3",
    "half4",
    "half8",
    "half_precision",
    "handler",
    "has_kernel_bundle",
    "has_known_identity",
    "hexfloat",
    "host_accessor",
    "host_sampled_image_accessor",
    "host_selector_v",
    "host_unsampled_image_accessor",
    "hypot",
    "ilogb",
    "image_allocator",
    "image_channel_order",
    "image_channel_type",
    "image_format",
    "image_sampler",
    "image_target",
    "inclusive_scan_over_group",
    "info",
    "int16",
    "int2",
    "int3",
    "int4",
    "int8",
    "interop_handle",
    "is_compatible",
    "is_device_copyable",
    "is_error_code_enum",
    "is_property",
    "is_property_of",
    "isequal",
    "isfinite",
    "isgreater",
    "isgreaterequal",
    "isinf",
    "isless",
    "islessequal",
    "islessgreater",
    "isnan",
    "isnormal",
    "isnotequal",
    "isordered",
    "isunordered",
    "item",
    "join",
    "joint_all_of",
    "joint_any_of",
    "joint_exclusive_scan",
    "joint_inclusive_scan",
    "joint_none_of",
    "joint_reduce",
    "kernel",
    "kernel_bundle",
    "kernel_handler",
    "kernel_id",
    "known_identity",
    "ldexp",
    "leader_of",
    "length",
    "lgamma",
    "lgamma_r",
    "link",
    "local_accessor",
    "local_ptr",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "logical_and",
    "logical_or",
    "long16",
    "long2",
    "long3",
    "long4",
    "long8",
    "mad",
    "mad24",
    "mad_hi",
    "mad_sat",
    "make_buffer",
    "make_context",
    "make_device",
    "make_error_code",
    "make_event",
    "make_kernel",
    "make_kernel_bundle",
    "make_platform",
    "make_queue",
    "make_sampled_image",
    "make_unsampled_image",
    "make_version",
    "malloc",
    "malloc_device",
    "malloc_host",
    "malloc_shared",
    "marray",
    "maximum",
    "maxmag",
    "mbool16",
    "mbool2",
    "mbool3",
    "mbool4",
    "mbool8",
    "mchar16",
    "mchar2",
    "mchar3",
    "mchar4",
    "mchar8",
    "mdouble16",
    "mdouble2",
    "mdouble3",
    "mdouble4",
    "mdouble8",
    "memory_order",
    "memory_scope",
    "mfloat16",
    "mfloat2",
    "mfloat3",
    "mfloat4",
    "mfloat8",
    "mhalf16",
    "mhalf2",
    "mhalf3",
    "mhalf4",
    "mhalf8",
    "minimum",
    "minmag",
    "mint16",
    "mint2",
    "mint3",
    "mint4",
    "mint8",
    "mix",
    "mlong16",
    "mlong2",
    "mlong3",
    "mlong4",
    "mlong8",
    "modf",
    "mshort16",
    "mshort2",
    "mshort3",
    "mshort4",
    "mshort8",
    "muchar16",
    "muchar2",
    "muchar3",
    "muchar4",
    "muchar8",
    "muint16",
    "muint2",
    "muint3",
    "muint4",
    "muint8",
    "mul24",
    "mul_hi",
    "mulong16",
    "mulong2",
    "mulong3",
    "mulong4",
    "mulong8",
    "multi_ptr",
    "multiplies",
    "mushort16",
    "mushort2",
    "mushort3",
    "mushort4",
    "mushort8",
    "name_version",
    "nan",
    "native",
    "native_kernel",
    "nd_item",
    "nd_range",
    "nextafter",
    "no_init",
    "none_of_group",
    "normalize",
    "noshowbase",
    "noshowpos",
    "opencl",
    "permute_group_by_xor",
    "platform",
    "plus",
    "popcount",
    "pown",
    "powr",
    "printf",
    "private_array",
    "private_memory",
    "private_ptr",
    "property_list",
    "queue",
    "radians",
    "raw_generic_ptr",
    "raw_global_ptr",
    "raw_local_ptr",
    "raw_private_ptr",
    "read_only",
    "read_only_host_task",
    "read_write",
    "read_write_host_task",
    "recording",
    "reduce_over_group",
    "reducer",
    "reduction",
    "remainder",
    "remember_exec",
    "remquo",
    "rhadd",
    "rint",
    "rootn",
    "rotate",
    "rounding_mode",
    "rsqrt",
    "sampled_image",
    "sampled_image_accessor",
    "scientific",
    "select",
    "select_from_group",
    "setprecision",
    "setw",
    "shared_ptr",
    "shift_group_left",
    "shift_group_right",
    "short16",
    "short2",
    "short3",
    "short4",
    "short8",
    "showbase",
    "showpos",
    "sign",
    "signbit",
    "sin",
    "sincos",
    "single_source",
    "sinh",
    "sinpi",
    "smoothstep",
    "span",
    "specialization_id",
    "sqrt",
    "step",
    "stream",
    "stream_manipulator",
    "sub_group",
    "sub_sat",
    "sycl_category",
    "tan",
    "tanh",
    "tanpi",
    "target",
    "target_spir",
    "tgamma",
    "this_group",
    "this_nd_item",
    "this_sub_group",
    "trunc",
    "uchar16",
    "uchar2",
    "uchar3",
    "uchar4",
    "uchar8",
    "uint16",
    "uint2",
    "uint3",
    "uint4",
    "uint8",
    "ulong16",
    "ulong2",
    "ulong3",
    "ulong4",
    "ulong8",
    "unsampled_image",
    "unsampled_image_accessor",
    "upsample",
    "ushort16",
    "ushort2",
    "ushort3",
    "ushort4",
    "ushort8",
    "usm",
    "usm_allocator",
    "usm_pointer",
    "vec",
    "write_only",
    "write_only_host_task",
]

__version__: str
