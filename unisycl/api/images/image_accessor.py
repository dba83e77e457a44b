"""Accessors of images: in command groups, and on the host (SYCL 2020 §4.7.6.13, §4.7.6.14).

Non-goals: sampling (``lang.memory.image`` and compiled code). Invariants: an accessor works in the
one group it was made in; host code sees pixels only while nothing else writes them.
"""

from __future__ import annotations

from typing import Any

from unisycl.api.images.image_window import Asked, ImageWindow, Picture
from unisycl.api.memory.closing import HostTurn
from unisycl.base.enums import access_mode, aspect
from unisycl.base.errors import UnsupportedError, UsageError, errc
from unisycl.base.image_formats import image_target
from unisycl.base.tracebacks import ends_at_call
from unisycl.ir.types import ImageView
from unisycl.lang.memory.image import HostImage
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.command_group import BoundView, Capturable, Group
from unisycl.runtime.memory.host_access import Holding


class _Command(ImageWindow, Capturable):
    """An accessor of one command group."""

    __slots__ = ("__weakref__", "_group")

    def _join(self, group: Group | None) -> None:
        what = type(self).__name__
        if group is None:
            raise UsageError(errc.invalid, f"{what}: the handler is missing; give (image, handler, "
                             "...)")
        group.check_alive()
        self._check_device(what, group.channel)
        self._check_both_ways(what, group)
        group.add_access(self._access())
        group.remember(self)
        self._group = group

    def _check_device(self, what: str, channel: Channel) -> None:
        info, memory = channel.device.info, self.image.memory
        if self.target is image_target.device and aspect.image not in info.aspects:
            raise UnsupportedError(errc.feature_not_supported, f"{what}: the device '{info.name}' "
                                   "does not have aspect.image; use a buffer, or another device")
        most = info.details.get("image_extent", 0)
        if self.target is image_target.device and max(self.image.extent) > most:
            raise UsageError(errc.invalid, f"{what}: an image of range {self.image.extent} exceeds "
                             f"the {most} pixels of a dimension that '{info.name}' takes")
        bound = memory.bound_context
        if bound is not None and bound is not channel.context:
            raise UsageError(errc.invalid, f"{what}: the image is bound to another context "
                             "(property.image.context_bound); use a queue of that context")

    def _check_both_ways(self, what: str, group: Group) -> None:
        """Refuse that a kernel reads and writes one image, where a device cannot do both."""
        info = group.channel.device.info
        if self.target is not image_target.device or info.details.get("image_read_write"):
            return
        for other in group.users():
            if isinstance(other, _Command) and other.target is image_target.device \
                    and other.image.memory is self.image.memory \
                    and other.mode.writes != self.mode.writes:
                raise UnsupportedError(errc.feature_not_supported, f"{what}: the command group "
                                       "reads and writes one image, which kernels of the device "
                                       f"'{info.name}' cannot; read one image and write another")

    # ------------------------------------------------------------------ kernels
    def __kernel_type__(self) -> ImageView:
        """Return the type kernels see."""
        return self._type

    def bind(self, group: Group | None, channel: Channel) -> BoundView:
        """Return the argument of a launch in ``group``; refuses any other group."""
        if group is None:
            raise UsageError(errc.kernel_argument, f"{self!r}: a kernel launched through a "
                             "shortcut of the queue cannot use accessors; use queue.submit and "
                             "make the accessor there")
        if self._group is not group:
            raise UsageError(errc.accessor, f"{self!r} is used outside its command group; make an "
                             "accessor with this group's handler")
        if self.target is not image_target.device:
            raise UsageError(errc.kernel_argument, f"{self!r} is for host tasks; make the accessor "
                             "with image_target.device to use it in a kernel")
        return self.image.memory.bound(channel.driver)

    # ------------------------------------------------------------------ host tasks
    def open(self) -> None:
        """Let a host task see the pixels (internal)."""
        if self.target is image_target.host_task:
            self._seen = self._show()

    def shut(self) -> None:
        """End what ``open`` began (internal)."""
        self._seen = None

    def _shown(self) -> HostImage:
        if self._seen is None:
            raise UsageError(errc.accessor, f"{self!r}: its pixels exist only inside the command; "
                             "use a host accessor on the host, or image_target.host_task in a "
                             "host task")
        return self._seen


class unsampled_image_accessor(_Command):
    """Access to an ``unsampled_image`` from one command group (SYCL 2020 §4.7.6.13).

    Args:
        image: the image.
        args: in any order: the handler, ``read_only`` or ``write_only`` (or their ``_host_task``
            forms), the colour type (``float4``, ``half4``, ``int4``, ``uint4``; left out: as the
            format says), ``image_target``, ``no_init``.
        array: the last dimension counts images of one dimension less, and ``acc[i]`` is one of them
            (SYCL 1.2 §3.6.4.5, the target ``image_array``).

    As in SYCL 1.2, ``acc[x, y]`` reads and is assigned to, ``acc(sampler)[coordinate]`` samples.

    Raises ``errc.feature_not_supported`` on a device without ``aspect.image``. Example::

        src = unisycl.unsampled_image_accessor(img, h, unisycl.float4, unisycl.read_only)
    """

    __slots__ = ()

    def __init__(self, image: Any, *args: Any, array: bool = False) -> None:
        asked = Asked("unsampled_image_accessor", args)
        if asked.mode not in (access_mode.read, access_mode.write):
            found = "none" if asked.mode is None else asked.mode.name
            raise UsageError(errc.invalid, "unsampled_image_accessor: the mode is read_only or "
                             f"write_only in a command, not {found} (SYCL 2020 §4.7.6.13)")
        self._setup(image, asked, sampled=False, mode=asked.mode, array=array)
        self._join(asked.group)

    def write(self, coordinates: Any, color: Any) -> None:
        """Store a colour of the accessor's type at a pixel (SYCL 2020 §4.7.6.13)."""
        self._shown().write(coordinates, color)


class sampled_image_accessor(_Command):
    """Access to a ``sampled_image`` from one command group (SYCL 2020 §4.7.6.14); read-only.

    Args:
        image: the image.
        args: in any order: the handler, the colour type, ``image_target``.
    """

    __slots__ = ()

    def __init__(self, image: Any, *args: Any) -> None:
        asked = Asked("sampled_image_accessor", args)
        _check_read(asked, "sampled_image_accessor")
        self._setup(image, asked, sampled=True, mode=access_mode.read)
        self._join(asked.group)


@ends_at_call
class _Host(HostTurn, ImageWindow):
    """An accessor on the host."""

    __slots__ = ("__weakref__", "_holding")

    def _hold(self) -> None:
        self._holding = None
        mode = "writes" if self.mode.writes else "reads"
        self._holding = Holding(self._access(), self,
                                f"a {type(self).__name__} that {mode} the image")
        self._seen = self._show()

    def _shown(self) -> HostImage:
        seen: HostImage | None = self._seen
        if seen is None:
            raise UsageError(errc.accessor, f"this {type(self).__name__} is closed; make a new one "
                             "to see the image again")
        return seen

    def _check_open(self) -> None:
        self._shown()


@ends_at_call
class host_unsampled_image_accessor(_Host):
    """Blocks until an ``unsampled_image`` is free, then gives its pixels (SYCL 2020 §4.7.6.13).

    Args:
        image: the image.
        args: ``read_only``, ``write_only`` or ``read_write`` (the default), the colour type,
            ``no_init``.

    Example::

        with unisycl.host_unsampled_image_accessor(img, unisycl.read_only) as pixels:
            print(pixels.read((3, 4)))
    """

    __slots__ = ()
    __capture_refusal__ = "use unsampled_image_accessor inside the command group"

    def __init__(self, image: Any, *args: Any) -> None:
        asked = Asked("host_unsampled_image_accessor", args)
        const = isinstance(image, Picture) and image.memory.const
        default = access_mode.read if const else access_mode.read_write
        self._setup(image, asked, sampled=False, mode=asked.mode or default)
        self._hold()

    def write(self, coordinates: Any, color: Any) -> None:
        """Store a colour of the accessor's type at a pixel (SYCL 2020 §4.7.6.13)."""
        self._shown().write(coordinates, color)


@ends_at_call
class host_sampled_image_accessor(_Host):
    """Blocks until a ``sampled_image`` is free, then samples it (SYCL 2020 §4.7.6.14)."""

    __slots__ = ()
    __capture_refusal__ = "use sampled_image_accessor inside the command group"

    def __init__(self, image: Any, *args: Any) -> None:
        asked = Asked("host_sampled_image_accessor", args)
        _check_read(asked, "host_sampled_image_accessor")
        self._setup(image, asked, sampled=True, mode=access_mode.read)
        self._hold()


def _check_read(asked: Asked, what: str) -> None:
    if asked.mode not in (None, access_mode.read):
        raise UsageError(errc.invalid, f"{what}: a sampled_image is read-only (SYCL 2020 "
                         "§4.7.6.14); write through an unsampled_image")
