"""The classes of memory and of command groups, as programs see them: without internals, generic.

Type checkers read these in place of the classes of the same names (``unisycl/__init__.pyi``);
nothing here exists at run time. ``E`` is the type of an element, ``D`` the number of dimensions:
``accessor[np.float32, Literal[2]]``. An element that is read is ``Any``, as in NumPy's own types:
a kernel's ``s = 0.0`` followed by ``s += x[i]`` is right, and would be refused otherwise.
Invariant: tests/unit/test_types.py compares each member with the class that programs get.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, Generic, Literal, Protocol, Self, SupportsIndex, overload

import numpy as np
import numpy.typing as npt
from typing_extensions import TypeVar

from unisycl.api.bundles.kernel_bundle import kernel_bundle
from unisycl.api.bundles.native_kernel import native_kernel
from unisycl.api.devices.context import context
from unisycl.api.properties import Property, property_list
from unisycl.api.queue.dynamic_parameter import dynamic_parameter
from unisycl.api.queue.event import event
from unisycl.api.queue.queue import queue
from unisycl.api.queue.reduction import reduction
from unisycl.base import geometry as geo
from unisycl.base.enums import access_mode, target, usm_kind
from unisycl.lang.kernels.kernel_properties import properties
from unisycl.lang.kernels.specialization import specialization_id

E = TypeVar("E", default=Any)
D = TypeVar("D", bound=int, default=Any)
_S = TypeVar("_S", bound=np.generic)
_T = TypeVar("_T")
_N = TypeVar("_N", bound=int)
_P = TypeVar("_P", bound=Property)
_F = TypeVar("_F", bound=Callable[..., Any])

_Array = np.ndarray[Any, np.dtype[Any]]
_Kernel = Callable[..., Any]
_1 = Literal[1]
_2 = Literal[2]
_3 = Literal[3]
_Extent = SupportsIndex | Sequence[SupportsIndex] | geo.range
_Space = SupportsIndex | Sequence[SupportsIndex] | geo.range | geo.nd_range
_Two = tuple[SupportsIndex, SupportsIndex]
_Three = tuple[SupportsIndex, SupportsIndex, SupportsIndex]

class _Words(Protocol):
    """Any other way to name a type: its name, a structured dtype, a class of records."""

    @property
    def dtype(self) -> np.dtype[Any]: ...

_Other = str | list[Any] | _Words | type[Any]

class _Shaped(Generic[E, D]):
    """What memory of every kind answers."""

    @classmethod
    def __class_getitem__(cls, item: Any, /) -> Any: ...
    @property
    def dtype(self: _Shaped[_S, Any]) -> np.dtype[_S]:
        """The type of an element."""
    @property
    def shape(self) -> tuple[int, ...]:
        """The extents, as a tuple of ints."""
    def byte_size(self) -> int:
        """Return the number of bytes."""
    def size(self) -> int:
        """Return the number of elements."""
    def __len__(self) -> int: ...

class _Asked:
    """What answers for the properties it was made with."""

    def has_property(self, kind: type[Property]) -> bool:
        """Say whether a property of this class was given (SYCL 2020 §4.5.4)."""
    def get_property(self, kind: type[_P]) -> _P:
        """Return the property given; ``errc.invalid`` if there is none (SYCL 2020 §4.5.4)."""

class _Indexed(_Shaped[E, D]):
    """What kernels, or the host, read and write by index."""

    def __getitem__(self, index: Any) -> Any: ...
    def __setitem__(self, index: Any, value: Any) -> None: ...

class buffer(_Shaped[E, D], _Asked):
    """A one- to three-dimensional array for kernels (SYCL 2020 §4.7.2).

    ``buffer(array)`` works on the array in place; ``buffer(extent, dtype=...)`` is not initialised;
    ``buffer(values)`` copies them. Leaving a ``with`` block, ``close()`` and garbage collection
    wait for the work and write back.
    """

    @overload
    def __init__(self: buffer[_T, _N], source: buffer[_T, _N], /, *args: Any) -> None: ...
    @overload
    def __init__(self: buffer[_S, _1], source: np.ndarray[tuple[int], np.dtype[_S]], /,
                 *args: Property | property_list, dtype: npt.DTypeLike | None = None,
                 allocator: Any = None) -> None: ...
    @overload
    def __init__(self: buffer[_S, _2], source: np.ndarray[tuple[int, int], np.dtype[_S]], /,
                 *args: Property | property_list, dtype: npt.DTypeLike | None = None,
                 allocator: Any = None) -> None: ...
    @overload
    def __init__(self: buffer[_S, _3], source: np.ndarray[tuple[int, int, int], np.dtype[_S]], /,
                 *args: Property | property_list, dtype: npt.DTypeLike | None = None,
                 allocator: Any = None) -> None: ...
    @overload
    def __init__(self: buffer[_S, Any], source: np.ndarray[Any, np.dtype[_S]], /,
                 *args: Any, dtype: npt.DTypeLike | None = None, allocator: Any = None) -> None: ...
    @overload
    def __init__(self: buffer[_S, _1], source: SupportsIndex, /, *args: Any,
                 dtype: type[_S] | np.dtype[_S], allocator: Any = None) -> None: ...
    @overload
    def __init__(self: buffer[_S, _2], source: _Two, /, *args: Any,
                 dtype: type[_S] | np.dtype[_S], allocator: Any = None) -> None: ...
    @overload
    def __init__(self: buffer[_S, _3], source: _Three, /, *args: Any,
                 dtype: type[_S] | np.dtype[_S], allocator: Any = None) -> None: ...
    @overload
    def __init__(self: buffer[_S, Any], source: geo.range | Iterable[Any], /, *args: Any,
                 dtype: type[_S] | np.dtype[_S], allocator: Any = None) -> None: ...
    @overload
    def __init__(self: buffer[Any, Any], source: Any, /, *args: Any,
                 dtype: npt.DTypeLike | None = None, allocator: Any = None) -> None: ...
    def get_range(self) -> geo.range:
        """Return the extents."""
    def get_count(self) -> int:
        """Return the number of elements; deprecated in SYCL 2020."""
    def get_size(self) -> int:
        """Return the number of bytes; deprecated in SYCL 2020."""
    def is_sub_buffer(self) -> bool:
        """Say whether the buffer was made from a part of another (SYCL 2020 §4.7.2.2)."""
    def get_allocator(self) -> Any:
        """Return the allocator given, or the default one (SYCL 2020 §4.7.2.2)."""
    @overload
    def reinterpret(self, dtype: type[_S] | np.dtype[_S], extent: None = None) -> buffer[_S, D]: ...
    @overload
    def reinterpret(self, dtype: type[_S] | np.dtype[_S], extent: _Extent) -> buffer[_S]: ...
    @overload
    def reinterpret(self, dtype: npt.DTypeLike, extent: Any = None) -> buffer:
        """Return the same bytes as another type and shape (SYCL 2020 §4.7.2.2)."""
    def get_access(self, *args: Any) -> accessor[E, D]:
        """Return ``accessor(self, *args)``."""
    def get_host_access(self, *args: Any) -> host_accessor[E, D]:
        """Return ``host_accessor(self, *args)``."""
    def set_final_data(self, target: Any = None) -> None:
        """Say where the contents go at the end; None: nowhere (SYCL 2020 §4.7.2.2)."""
    def set_write_back(self, flag: bool = True) -> None:
        """Allow or cancel writing back at the end (SYCL 2020 §4.7.2.2)."""
    def close(self) -> None:
        """Wait for the work, write back, and refuse further use; idempotent."""
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class _Window(_Indexed[E, D], _Asked):
    """What accessors of buffers have in common."""

    mode: access_mode
    target: target
    def get_range(self) -> geo.range:
        """Return the accessible range."""
    def get_offset(self) -> geo.id:
        """Return where the accessible range starts in the buffer."""
    def empty(self) -> bool:
        """Say whether there is no accessible element."""
    def max_size(self) -> int:
        """Return the largest size; deprecated in SYCL 2020."""
    def swap(self, other: Self) -> None:
        """Exchange what two accessors of one kind denote (SYCL 2020 §4.7.6.12)."""
    def __iter__(self) -> Iterator[Any]: ...
    def __reversed__(self) -> Iterator[Any]: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None
                  ) -> np.ndarray[Any, np.dtype[Any]]: ...

class _InParts(Protocol):
    """A buffer with parts on several ranks: ``unisycl.ext.unisycl.distr_buffer``."""

    size_of_world: int

class accessor(_Window[E, D]):
    """Access to a buffer from one command group (SYCL 2020 §4.7.6.9).

    ``accessor(buffer, handler, read_only)``; after the buffer, in any order: the handler (left out:
    a placeholder), a range, then an offset, a tag, ``no_init``.
    """

    @overload
    def __init__(self: accessor[_T, _N], source: buffer[_T, _N], /, *args: Any,
                 dimensions: None = None, dtype: npt.DTypeLike | None = None) -> None: ...
    @overload
    def __init__(self: accessor[_T, Any], source: buffer[_T, Any], /, *args: Any,
                 dimensions: int, dtype: npt.DTypeLike | None = None) -> None: ...
    @overload
    def __init__(self: accessor[Any, Any], source: _InParts, /, *args: Any) -> None: ...
    @overload
    def __init__(self: accessor[Any, Any], source: None = None, /, *args: Any,
                 dimensions: int | None = None, dtype: npt.DTypeLike | None = None) -> None: ...
    def is_placeholder(self) -> bool:
        """Say whether the accessor was made without a handler (SYCL 2020 §4.7.6.9)."""
    def get_multi_ptr(self, form: Any = None) -> Any:
        """Return the buffer from its start, even if ranged; in host tasks only (§4.7.6.9.1)."""
    def get_pointer(self, form: Any = None) -> Any:
        """Return the buffer from its start, even if ranged; in host tasks only (§4.7.6.9.1)."""

class host_accessor(_Window[E, D]):
    """Blocks until the buffer is free, then gives its elements (SYCL 2020 §4.7.6.10).

    Later commands that conflict wait until it is closed: use ``with``, or ``close()``.
    """

    def swap(self, other: Self) -> None:
        """Exchange what two host accessors denote (SYCL 2020 §4.7.6.12)."""

    @overload
    def __init__(self: host_accessor[_T, _N], source: buffer[_T, _N], /, *args: Any,
                 dimensions: None = None) -> None: ...
    @overload
    def __init__(self: host_accessor[_T, Any], source: buffer[_T, Any], /, *args: Any,
                 dimensions: int) -> None: ...
    @overload
    def __init__(self: host_accessor[Any, Any], source: Any, /, *args: Any,
                 dimensions: int | None = None) -> None: ...
    def get_view(self: host_accessor[_S, Any]) -> np.ndarray[Any, np.dtype[_S]]:
        """Return the elements as an array over the memory itself; valid until ``close``."""
    def is_open(self) -> bool:
        """Say whether the elements, or pixels, can still be used."""
    def close(self) -> None:
        """Let later commands go on; the accessor cannot be used any more."""
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None: ...

class local_accessor(_Indexed[E, D], _Asked):
    """Memory of a work-group (SYCL 2020 §4.7.6.11); not initialised, not visible to the host.

    ``local_accessor(dtype, extent)``; an int, a tuple or a range; then the handler (optional).
    """

    @overload
    def __init__(self: local_accessor[_S, _1], dtype: type[_S] | np.dtype[_S],
                 extent: SupportsIndex, /, *rest: Any) -> None: ...
    @overload
    def __init__(self: local_accessor[_S, _2], dtype: type[_S] | np.dtype[_S],
                 extent: _Two, /, *rest: Any) -> None: ...
    @overload
    def __init__(self: local_accessor[_S, _3], dtype: type[_S] | np.dtype[_S],
                 extent: _Three, /, *rest: Any) -> None: ...
    @overload
    def __init__(self: local_accessor[_S, Any], dtype: type[_S] | np.dtype[_S],
                 extent: Any = None, /, *rest: Any) -> None: ...
    @overload
    def __init__(self: local_accessor[Any, Any], dtype: Any, extent: Any = None, /,
                 *rest: Any) -> None: ...
    def get_range(self) -> geo.range:
        """Return the extents."""
    def empty(self) -> bool:
        """Say whether there is no element."""
    def get_multi_ptr(self, form: Any = None) -> Any:
        """Return a pointer to the first element, in a kernel."""
    def get_pointer(self, form: Any = None) -> Any:
        """Return a pointer to the first element, in a kernel."""

class usm_pointer(_Indexed[E, D]):
    """USM memory with a type and a shape (SYCL 2020 §4.8).

    Kernels index it, and so does the host unless it is a device allocation: parts of that,
    ``p[a:b]``, are pointers. ``p.pointer_to(n)`` is the pointer to element n, which kernels write
    ``p + n``; ``numpy.asarray(p)`` shares the memory.
    """

    def get_view(self: usm_pointer[_S, Any]) -> np.ndarray[Any, np.dtype[_S]]:
        """Return the memory as an array, without a copy; refused for device allocations."""
    @property
    def usm_type(self) -> str:
        """The kind of memory as dpctl names it: host, device or shared."""
    @property
    def ndim(self) -> int:
        """The number of dimensions."""
    def address(self) -> int:
        """Return the address of the first element."""
    def pointer_to(self, index: int) -> usm_pointer[E, _1]:
        """Return the pointer to an element: what C++ writes ``p + index``, and kernels, too."""
    def distance(self, first: Any) -> int:
        """Return how many elements another pointer into the allocation lies before this one."""
    def __add__(self, count: SupportsIndex) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __array__(self: usm_pointer[_S, Any], dtype: Any = None, copy: bool | None = None
                  ) -> np.ndarray[Any, np.dtype[_S]]: ...
    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    def __dlpack__(self, **options: Any) -> Any:
        """Return a DLPack capsule over the memory; refused for device allocations."""
    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's name of the host's memory."""
    def __eq__(self, other: object) -> Any: ...
    def __hash__(self) -> int: ...

@overload
def malloc(count: SupportsIndex, dtype: type[_S] | np.dtype[_S], /,
           *where: Any, kind: usm_kind | None = None,
           alignment: int = 0) -> usm_pointer[_S, _1]: ...
@overload
def malloc(count: _Two, dtype: type[_S] | np.dtype[_S], /,
           *where: Any, kind: usm_kind | None = None,
           alignment: int = 0) -> usm_pointer[_S, _2]: ...
@overload
def malloc(count: _Three, dtype: type[_S] | np.dtype[_S], /,
           *where: Any, kind: usm_kind | None = None,
           alignment: int = 0) -> usm_pointer[_S, _3]: ...
@overload
def malloc(count: _Extent, dtype: type[_S] | np.dtype[_S], /,
           *where: Any, kind: usm_kind | None = None,
           alignment: int = 0) -> usm_pointer[_S, Any]: ...
@overload
def malloc(count: SupportsIndex, /,
           *where: Any, dtype: type[_S] | np.dtype[_S], kind: usm_kind | None = None,
           alignment: int = 0) -> usm_pointer[_S, _1]: ...
@overload
def malloc(count: Any, /, *args: Any, dtype: Any = None, kind: usm_kind | None = None,
           alignment: int = 0) -> usm_pointer[Any, Any]:
    """Allocate USM of a kind (SYCL 2020 §4.8.3.5)."""
@overload
def malloc_device(count: SupportsIndex, dtype: type[_S] | np.dtype[_S], /,
                  *where: Any) -> usm_pointer[_S, _1]: ...
@overload
def malloc_device(count: _Two, dtype: type[_S] | np.dtype[_S], /,
                  *where: Any) -> usm_pointer[_S, _2]: ...
@overload
def malloc_device(count: _Three, dtype: type[_S] | np.dtype[_S], /,
                  *where: Any) -> usm_pointer[_S, _3]: ...
@overload
def malloc_device(count: _Extent, dtype: type[_S] | np.dtype[_S], /,
                  *where: Any) -> usm_pointer[_S, Any]: ...
@overload
def malloc_device(count: SupportsIndex, /,
                  *where: Any, dtype: type[_S] | np.dtype[_S]) -> usm_pointer[_S, _1]: ...
@overload
def malloc_device(count: Any, /, *args: Any, dtype: Any = None) -> usm_pointer[Any, Any]:
    """Allocate memory that only kernels and copies reach (SYCL 2020 §4.8.3.2); see ``malloc``."""
@overload
def malloc_host(count: SupportsIndex, dtype: type[_S] | np.dtype[_S], /,
                *where: Any) -> usm_pointer[_S, _1]: ...
@overload
def malloc_host(count: _Two, dtype: type[_S] | np.dtype[_S], /,
                *where: Any) -> usm_pointer[_S, _2]: ...
@overload
def malloc_host(count: _Three, dtype: type[_S] | np.dtype[_S], /,
                *where: Any) -> usm_pointer[_S, _3]: ...
@overload
def malloc_host(count: _Extent, dtype: type[_S] | np.dtype[_S], /,
                *where: Any) -> usm_pointer[_S, Any]: ...
@overload
def malloc_host(count: SupportsIndex, /,
                *where: Any, dtype: type[_S] | np.dtype[_S]) -> usm_pointer[_S, _1]: ...
@overload
def malloc_host(count: Any, /, *args: Any, dtype: Any = None) -> usm_pointer[Any, Any]:
    """Allocate host memory that kernels reach (SYCL 2020 §4.8.3.3); see ``malloc``."""
@overload
def malloc_shared(count: SupportsIndex, dtype: type[_S] | np.dtype[_S], /,
                  *where: Any) -> usm_pointer[_S, _1]: ...
@overload
def malloc_shared(count: _Two, dtype: type[_S] | np.dtype[_S], /,
                  *where: Any) -> usm_pointer[_S, _2]: ...
@overload
def malloc_shared(count: _Three, dtype: type[_S] | np.dtype[_S], /,
                  *where: Any) -> usm_pointer[_S, _3]: ...
@overload
def malloc_shared(count: _Extent, dtype: type[_S] | np.dtype[_S], /,
                  *where: Any) -> usm_pointer[_S, Any]: ...
@overload
def malloc_shared(count: SupportsIndex, /,
                  *where: Any, dtype: type[_S] | np.dtype[_S]) -> usm_pointer[_S, _1]: ...
@overload
def malloc_shared(count: Any, /, *args: Any, dtype: Any = None) -> usm_pointer[Any, Any]:
    """Allocate memory that host and kernels share (SYCL 2020 §4.8.3.4); see ``malloc``."""
@overload
def aligned_alloc(alignment: int, count: SupportsIndex, dtype: type[_S] | np.dtype[_S], /,
                  *where: Any, kind: usm_kind | None = None) -> usm_pointer[_S, _1]: ...
@overload
def aligned_alloc(alignment: int, count: _Two, dtype: type[_S] | np.dtype[_S], /,
                  *where: Any, kind: usm_kind | None = None) -> usm_pointer[_S, _2]: ...
@overload
def aligned_alloc(alignment: int, count: _Three, dtype: type[_S] | np.dtype[_S], /,
                  *where: Any, kind: usm_kind | None = None) -> usm_pointer[_S, _3]: ...
@overload
def aligned_alloc(alignment: int, count: _Extent, dtype: type[_S] | np.dtype[_S], /,
                  *where: Any, kind: usm_kind | None = None) -> usm_pointer[_S, Any]: ...
@overload
def aligned_alloc(alignment: int, count: SupportsIndex, /,
                  *where: Any, dtype: type[_S] | np.dtype[_S],
                  kind: usm_kind | None = None) -> usm_pointer[_S, _1]: ...
@overload
def aligned_alloc(alignment: int, count: Any, /,
                  *args: Any, dtype: Any = None,
                  kind: usm_kind | None = None) -> usm_pointer[Any, Any]:
    """Allocate USM at a multiple of ``alignment`` bytes (SYCL 2020 §4.8.3.5)."""
@overload
def aligned_alloc_device(alignment: int, count: SupportsIndex, dtype: type[_S] | np.dtype[_S], /,
                         *where: Any) -> usm_pointer[_S, _1]: ...
@overload
def aligned_alloc_device(alignment: int, count: _Two, dtype: type[_S] | np.dtype[_S], /,
                         *where: Any) -> usm_pointer[_S, _2]: ...
@overload
def aligned_alloc_device(alignment: int, count: _Three, dtype: type[_S] | np.dtype[_S], /,
                         *where: Any) -> usm_pointer[_S, _3]: ...
@overload
def aligned_alloc_device(alignment: int, count: _Extent, dtype: type[_S] | np.dtype[_S], /,
                         *where: Any) -> usm_pointer[_S, Any]: ...
@overload
def aligned_alloc_device(alignment: int, count: SupportsIndex, /,
                         *where: Any, dtype: type[_S] | np.dtype[_S]) -> usm_pointer[_S, _1]: ...
@overload
def aligned_alloc_device(alignment: int, count: Any, /,
                         *args: Any, dtype: Any = None) -> usm_pointer[Any, Any]:
    """As ``malloc_device``, at a multiple of ``alignment`` bytes (SYCL 2020 §4.8.3.2)."""
@overload
def aligned_alloc_host(alignment: int, count: SupportsIndex, dtype: type[_S] | np.dtype[_S], /,
                       *where: Any) -> usm_pointer[_S, _1]: ...
@overload
def aligned_alloc_host(alignment: int, count: _Two, dtype: type[_S] | np.dtype[_S], /,
                       *where: Any) -> usm_pointer[_S, _2]: ...
@overload
def aligned_alloc_host(alignment: int, count: _Three, dtype: type[_S] | np.dtype[_S], /,
                       *where: Any) -> usm_pointer[_S, _3]: ...
@overload
def aligned_alloc_host(alignment: int, count: _Extent, dtype: type[_S] | np.dtype[_S], /,
                       *where: Any) -> usm_pointer[_S, Any]: ...
@overload
def aligned_alloc_host(alignment: int, count: SupportsIndex, /,
                       *where: Any, dtype: type[_S] | np.dtype[_S]) -> usm_pointer[_S, _1]: ...
@overload
def aligned_alloc_host(alignment: int, count: Any, /,
                       *args: Any, dtype: Any = None) -> usm_pointer[Any, Any]:
    """As ``malloc_host``, at a multiple of ``alignment`` bytes (SYCL 2020 §4.8.3.3)."""
@overload
def aligned_alloc_shared(alignment: int, count: SupportsIndex, dtype: type[_S] | np.dtype[_S], /,
                         *where: Any) -> usm_pointer[_S, _1]: ...
@overload
def aligned_alloc_shared(alignment: int, count: _Two, dtype: type[_S] | np.dtype[_S], /,
                         *where: Any) -> usm_pointer[_S, _2]: ...
@overload
def aligned_alloc_shared(alignment: int, count: _Three, dtype: type[_S] | np.dtype[_S], /,
                         *where: Any) -> usm_pointer[_S, _3]: ...
@overload
def aligned_alloc_shared(alignment: int, count: _Extent, dtype: type[_S] | np.dtype[_S], /,
                         *where: Any) -> usm_pointer[_S, Any]: ...
@overload
def aligned_alloc_shared(alignment: int, count: SupportsIndex, /,
                         *where: Any, dtype: type[_S] | np.dtype[_S]) -> usm_pointer[_S, _1]: ...
@overload
def aligned_alloc_shared(alignment: int, count: Any, /,
                         *args: Any, dtype: Any = None) -> usm_pointer[Any, Any]:
    """As ``malloc_shared``, at a multiple of ``alignment`` bytes (SYCL 2020 §4.8.3.4)."""

def free(pointer: usm_pointer[Any, Any] | None, where: queue | context) -> None:
    """Free an allocation (SYCL 2020 §4.8.3.6); None is ignored, freeing twice raises."""

class handler:
    """The argument of a command group function (SYCL 2020 §4.9.4); made by ``queue.submit``."""

    def require(self, placeholder: accessor[Any, Any] | dynamic_parameter) -> None:
        """Bind a placeholder accessor to this command group (SYCL 2020 §4.9.4.1)."""
    def depends_on(self, events: event | Sequence[event]) -> None:
        """Run the command after these events (SYCL 2020 §4.9.4.1)."""
    def set_specialization_constant(self, name: specialization_id, value: Any) -> None:
        """Give a constant a value for the kernel of this command group (SYCL 2020 §4.9.5)."""
    def get_specialization_constant(self, name: specialization_id) -> Any:
        """Return the value the kernel of this command group will see (SYCL 2020 §4.9.5)."""
    def use_kernel_bundle(self, bundle: kernel_bundle) -> None:
        """Launch the kernel of this command group out of a bundle (SYCL 2020 §4.9.4.4)."""
    @overload
    def single_task(self) -> Callable[[_F], _F]: ...
    @overload
    def single_task(self, first: properties, /) -> Callable[[_F], _F]: ...
    @overload
    def single_task(self, kernel: _Kernel | native_kernel, /, *arguments: Any) -> None: ...
    @overload
    def single_task(self, first: properties, kernel: _Kernel | native_kernel, /,
                    *arguments: Any) -> None:
        """Run a kernel once; a decorator if no function is given (SYCL 2020 §4.9.4.2.1)."""
    @overload
    def parallel_for(self, space: _Space, /, *given: geo.id | properties | reduction
                     ) -> Callable[[_F], _F]: ...
    @overload
    def parallel_for(self, space: _Space, kernel: _Kernel | native_kernel, /,
                     *arguments: Any) -> None: ...
    @overload
    def parallel_for(self, space: _Space, first: geo.id | properties | reduction, /,
                     *rest: Any) -> None:
        """Run a kernel over an index space (SYCL 2020 §4.9.4.2.2)."""
    @overload
    def parallel_for_work_group(self, groups: _Extent, local: _Extent = ..., /
                                ) -> Callable[[_F], _F]: ...
    @overload
    def parallel_for_work_group(self, groups: _Extent, kernel: _Kernel, /,
                                *arguments: Any) -> None: ...
    @overload
    def parallel_for_work_group(self, groups: _Extent, local: _Extent, kernel: _Kernel, /,
                                *arguments: Any) -> None:
        """Run a hierarchical kernel once per work-group (SYCL 2020 §4.9.4.2.3)."""
    def set_arg(self, index: int, value: Any) -> None:
        """Set an argument of the kernel that the group launches (SYCL 2020 §4.9.4.2)."""
    def set_args(self, *values: Any) -> None:
        """Set the arguments of the kernel that the group launches, from the first on."""
    @overload
    def host_task(self, fn: None = None) -> Callable[[_F], _F]: ...
    @overload
    def host_task(self, fn: Callable[..., Any]) -> None:
        """Run a Python function on a runtime thread after its dependencies (§4.10.1)."""
    def copy(self, src: Any, dst: Any, count: int | None = None, start: int = 0) -> None:
        """Copy elements between accessors, USM memory, arrays and device_globals (§4.9.4.3)."""
    def memcpy(self, dst: Any, src: Any, nbytes: int | None = None, offset: int = 0) -> None:
        """Copy bytes between USM memory, arrays and device_globals; all of the source by default."""  # noqa: E501
    def fill(self, dst: Any, value: Any, count: int | None = None) -> None:
        """Write one value to an accessor, USM memory or an array (SYCL 2020 §4.9.4.3)."""
    def memset(self, dst: Any, value: int, nbytes: int | None = None) -> None:
        """Write one byte everywhere; ``value`` is taken modulo 256 (SYCL 2020 §4.9.4.3)."""
    def update_host(self, source: accessor[Any, Any]) -> None:
        """Bring the host's copy of an accessor's data up to date (SYCL 2020 §4.9.4.3)."""
    def prefetch(self, pointer: usm_pointer[Any, Any], nbytes: int | None = None) -> None:
        """Say that the device will use shared memory soon: a hint (SYCL 2020 §4.9.4.3)."""
    def mem_advise(self, pointer: usm_pointer[Any, Any], nbytes: int | None = None,
                   advice: int = 0) -> None:
        """Advise how memory will be used: a hint (SYCL 2020 §4.9.4.3)."""
    def ext_codeplay_enqueue_native_command(self, function: Callable[[Any], None]) -> None:
        """Have a function give the device commands of another library."""
    def ext_oneapi_barrier(self, events: event | Sequence[event] | None = None) -> None:
        """Let no later command of the queue begin before these events, or all commands so far."""
    def ext_oneapi_graph(self, graph: Any) -> None:
        """Run an executable graph as the command of this group (sycl_ext_oneapi_graph)."""
    def ext_oneapi_copy(self, *given: Any) -> None:
        """Copy pixels between image memory, USM memory and arrays of the host."""
    def ext_oneapi_copy2d(self, src: Any, src_pitch: int, dest: Any, dest_pitch: int,
                          width: int, height: int) -> None:
        """Copy rows of elements between USM memory and arrays of one type; all is in elements."""
    def ext_oneapi_memcpy2d(self, dest: Any, dest_pitch: int, src: Any, src_pitch: int,
                            width: int, height: int) -> None:
        """Copy rows of bytes between USM memory and arrays."""
    def ext_oneapi_memset2d(self, dest: Any, dest_pitch: int, value: int, width: int,
                            height: int) -> None:
        """Write one byte, ``value`` modulo 256, into rows of USM memory; all is in bytes."""
    def ext_oneapi_fill2d(self, dest: Any, dest_pitch: int, pattern: Any, width: int,
                          height: int) -> None:
        """Write one value into rows of USM memory; all is in elements of the memory's type."""
    def ext_unisycl_if(self, condition: usm_pointer[Any, Any], body: Any,
                       otherwise: Any = None) -> None:
        """Run a graph if memory holds something else than zero, and another one if it does not."""
    def ext_unisycl_while(self, condition: usm_pointer[Any, Any], body: Any,
                          limit: int | None = None) -> None:
        """Run a graph again and again, as long as memory holds something else than zero."""
