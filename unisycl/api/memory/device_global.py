"""``device_global``: variables of a module that live on devices (sycl_ext_oneapi_device_global).

Non-goals: what a kernel does with one (``lang.memory.device_global``, ``frontend``). Invariants:
there is one allocation for each device and context, made and initialised before its first use and
kept as long as the context; its address never changes; the host reaches it by copies only.
"""

from __future__ import annotations

import enum
import math
import sys
import threading
from types import CodeType
from typing import Any, ClassVar, NoReturn

import numpy as np

from unisycl.api.properties import HasProperties, Property, check, flatten
from unisycl.base import geometry as geo
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import RAISED, shorten
from unisycl.lang.memory.device_global import GlobalView
from unisycl.lang.memory.views import plain
from unisycl.runtime.devices.devices import DeviceState
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.command_group import BoundView
from unisycl.runtime.memory.allocation import Array
from unisycl.runtime.memory.variables import Variable, element_type

_OPTIMIZED = 0x1  # CO_OPTIMIZED: the code of a function; modules and classes are without it
_lock = threading.Lock()


class host_access_enum(enum.Enum):
    """How the host copies a device_global: what ``host_access`` promises."""

    read = "read"
    write = "write"
    read_write = "read_write"
    none = "none"


class init_mode_enum(enum.Enum):
    """When an FPGA gives a device_global its initial value."""

    reprogram = "reprogram"
    reset = "reset"


class _Chosen(Property):
    """A property of device_globals with a value out of a few."""

    __slots__ = ()
    applies_to = ("device_global",)
    choices: ClassVar[Any] = bool

    def __init__(self, value: Any) -> None:
        if not isinstance(value, self.choices):
            raise UsageError(errc.invalid, f"{type(self).__name__}: expected one of "
                             f"{self.choices.__name__}, got {value!r}")
        super().__init__(value)


class device_image_scope_key(Property):
    """All kernels that use the variable are in one device image: same module, same constants."""

    __slots__ = ()
    applies_to = ("device_global",)


class host_access_key(_Chosen):
    """The host only copies in the directions that the value says."""

    __slots__ = ()
    choices = host_access_enum


class init_mode_key(_Chosen):
    """When an FPGA initialises the variable; without effect elsewhere."""

    __slots__ = ()
    choices = init_mode_enum


class implement_in_csr_key(_Chosen):
    """Whether an FPGA keeps the variable in its control registers; without effect elsewhere."""

    __slots__ = ()


device_image_scope = device_image_scope_key()
host_access = host_access_key
host_access_read = host_access_key(host_access_enum.read)
host_access_write = host_access_key(host_access_enum.write)
host_access_read_write = host_access_key(host_access_enum.read_write)
host_access_none = host_access_key(host_access_enum.none)
init_mode = init_mode_key
init_mode_reprogram = init_mode_key(init_mode_enum.reprogram)
init_mode_reset = init_mode_key(init_mode_enum.reset)
implement_in_csr = implement_in_csr_key
implement_in_csr_on = implement_in_csr_key(True)
implement_in_csr_off = implement_in_csr_key(False)

_READABLE = (host_access_enum.read, host_access_enum.read_write)
_WRITABLE = (host_access_enum.write, host_access_enum.read_write)


class device_global(HasProperties, Variable):
    """A variable with a copy of its own on every device (sycl_ext_oneapi_device_global).

    Args:
        dtype: the type of an element: a NumPy type, a vec type, a structured dtype, a dataclass
            registered with ``is_device_copyable``; or another device_global, whose type and
            *initial* value are taken over.
        shape: the extents of an array of up to three dimensions; left out: one element.
        init: the initial value: a number, a record, or a list of elements, nested or one after
            another; what it leaves out is zero. Left out: zero.
        properties: such as ``host_access_read`` and ``device_image_scope``.

    Make one at the level of a module, or in a class at that level, under a public name. Kernels
    of any module use it by that name: ``total[i] += 1``, ``point.x``, ``step.get()``; one element
    as ``step`` itself where a value is read, and ``step[()] = 1``, or ``step += 1`` after ``global
    step``, where it is written. The host uses ``queue.copy`` and ``queue.memcpy``.

    Raises ``errc.invalid`` where it is made inside a function, for types kernels have not, for
    values that do not fit, and for properties of other classes.
    """

    __slots__ = ("_home", "_images", "_name", "_properties", "_shape")
    __kernel_reference__ = True
    __host_view__ = GlobalView

    def __init__(self, dtype: Any, shape: Any = (), init: Any = None, *properties: Any) -> None:
        try:
            self._home = _home_of(sys._getframe(1))
            self._images: dict[DeviceState, set[tuple[str, frozenset[Any]]]] = {}
            self._name = ""
            if isinstance(shape, Property) or isinstance(init, Property):
                given = [x for x in (shape, init) if isinstance(x, Property)]
                properties = (*given, *properties)
                shape = () if isinstance(shape, Property) else shape
                init = None if isinstance(init, Property) else init
            self._properties = check(flatten(properties), "device_global")
            if isinstance(dtype, device_global):
                self._shape, initial = self._copy_of(dtype)
            else:
                self._shape = tuple(geo.as_range(shape)) if shape != () else ()
                initial = _initial(element_type("device_global", dtype), self._shape, init)
            super().__init__("device_global", self._shape or (1,), initial)
        except RAISED as error:
            shorten(error)
            raise

    def _copy_of(self, other: device_global) -> tuple[tuple[int, ...], Array]:
        if self.has_property(device_image_scope_key):
            raise UsageError(errc.invalid, "device_global: one with device_image_scope cannot be "
                             "made from another; give the type and the value")
        return other._shape, other._initial

    def __set_name__(self, owner: type, name: str) -> None:
        if name.startswith(f"_{owner.__name__.lstrip('_')}__"):
            raise UsageError(errc.invalid, f"device_global: '{owner.__name__}' keeps it private; "
                             "give it a public name, or put it at the level of the module")
        self._name = f"{owner.__qualname__}.{name}"

    # ------------------------------------------------------------------ asking
    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of an element."""
        return self._initial.dtype

    @property
    def element_type(self) -> np.dtype[Any]:
        """The type of an element, by the extension's name: of an array that of its elements."""
        return self._initial.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents; () for one element."""
        return self._shape

    def name(self) -> str:
        """Return the name it has where it was made; empty if it has none any more."""
        if self._name:
            return self._name
        return next((k for k, v in list(self._home.items()) if v is self), "")

    def __repr__(self) -> str:
        extent = "".join(f"[{e}]" for e in self._shape)
        return f"<device_global {self.name() or '(unreachable)'}: {self.dtype}{extent}>"

    # ------------------------------------------------------------------ kernels and copies
    def used_by(self, module: str, constants: frozenset[Any], device: DeviceState) -> None:
        """Note a kernel that uses the variable; with device_image_scope they share one module."""
        if not self.has_property(device_image_scope_key):
            return
        with _lock:
            images = self._images.setdefault(device, set())
            others = sorted({m for m, _ in images} - {module})
            if others:
                raise UsageError(errc.invalid, f"{self!r} has device_image_scope, and kernels of "
                                 f"the module '{others[0]}' use it on this device; one of "
                                 f"'{module}' cannot: it is in another device image. Leave the "
                                 "property out, or put the kernels into one module")
            images.add((module, constants))

    def _check_image(self, what: str, device: DeviceState) -> None:
        """Refuse a copy where the variable is not in exactly one device image."""
        images = self._images.get(device, ())
        if len(images) > 1:
            raise UsageError(errc.invalid, f"{what}: {self!r} has device_image_scope and is in "
                             f"{len(images)} device images: kernels that use it were compiled for "
                             "several values of specialization constants")
        if not images and not _mentioned(self.name().rpartition(".")[2], self._home):
            raise UsageError(errc.kernel_not_supported, f"{what}: {self!r} has device_image_scope, "
                             "and no kernel of its module uses it, so it is in no device image")

    def elements(self, what: str, channel: Channel, *, writes: bool) -> BoundView:
        """Return all innermost elements, one after another, for a copy by the host."""
        for promise in (p for p in self._properties if isinstance(p, host_access_key)):
            if promise.value not in (_WRITABLE if writes else _READABLE):
                raise UsageError(errc.invalid, f"{what}: {self!r} has host_access_"
                                 f"{promise.value.name}, so the host cannot copy "
                                 f"{'to' if writes else 'from'} it")
        if self.has_property(device_image_scope_key):
            self._check_image(what, channel.device)
        view = self.bind(None, channel)
        return BoundView(view.memory, 0, (math.prod(view.shape),), (1,))

    # ------------------------------------------------------------------ the host
    def _refuse(self, *_: Any) -> NoReturn:
        raise UsageError(errc.invalid, f"{self!r} lives on devices: only kernels use its value; "
                         "copy it with queue.copy or queue.memcpy")

    get = get_multi_ptr = __getitem__ = __setitem__ = __len__ = __iter__ = _refuse
    __bool__ = __int__ = __float__ = __index__ = __array__ = _refuse
    __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __iadd__ = _refuse
    __radd__ = __rsub__ = __rmul__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse


def _home_of(frame: Any) -> dict[str, Any]:
    """Return the names of the module that makes a device_global; refuse functions."""
    home: dict[str, Any] = frame.f_globals
    while frame is not None and frame.f_globals is home and frame.f_locals is not home:
        if frame.f_code.co_flags & _OPTIMIZED:
            raise UsageError(errc.invalid, "a device_global is made at the level of a module or in "
                             f"a class there, not inside the function '{frame.f_code.co_name}': "
                             "every kernel that names it means the same variable")
        frame = frame.f_back
    return home


def _mentioned(name: str, home: dict[str, Any]) -> bool:
    """Say whether a function of a module, or one inside it, uses a name."""
    seen: set[int] = set()
    todo: list[Any] = [x for x in list(home.values())
                       if getattr(x, "__module__", None) == home.get("__name__")]
    while todo:
        x = todo.pop()
        x = getattr(x, "__unisycl_function__", x)
        if isinstance(x, type):
            todo += vars(x).values()
        code = x if isinstance(x, CodeType) else getattr(x, "__code__", None)
        if code is not None and id(code) not in seen:
            seen.add(id(code))
            if name in code.co_names:
                return True
            todo += (c for c in code.co_consts if isinstance(c, CodeType))
    return False


def _initial(dtype: np.dtype[Any], shape: tuple[int, ...], init: Any) -> Array:
    """Return the initial elements, one after another: zero where nothing else is given."""
    count = math.prod(shape)
    made = np.zeros(count, dtype)
    if init is None:
        return made
    try:
        if not shape:
            made[0] = plain(init)
            return made
        listed = isinstance(init, list | tuple)
        given = np.array([plain(x) for x in init] if listed else init, dtype)
        if given.ndim > 1 and given.shape != shape:
            raise ValueError(f"the extents {given.shape} are not {shape}")
        if given.size > count:
            raise ValueError(f"there are {given.size} values for {count} elements")
        made[:given.size] = given.reshape(-1)
    except (TypeError, ValueError, OverflowError) as err:
        raise UsageError(errc.invalid, f"device_global: {init!r} is no initial value of {dtype}"
                         f"{''.join(f'[{e}]' for e in shape)}: {err}") from err
    return made

