"""The functions that make kernel bundles: get, compile, link, build, join (SYCL 2020 §4.11.7-11).

Non-goals: the bundle itself. Invariant: a refusal comes before anything is compiled.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from unisycl.api.bundles import launch_form
from unisycl.api.bundles.kernel_bundle import device_image, kernel_bundle, runs
from unisycl.api.devices.context import context
from unisycl.api.devices.device import device
from unisycl.base.enums import aspect, bundle_state
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.lang.kernels.build_options import build_options
from unisycl.lang.kernels.kernel_id import as_ids, built_in_id, get_kernel_ids, kernel_id
from unisycl.lang.kernels.kernel_properties import attributes_of
from unisycl.runtime.devices.devices import DeviceState

_NEEDS = {bundle_state.input: aspect.online_compiler, bundle_state.object: aspect.online_linker}


class _Wanted:
    """The arguments of ``get_kernel_bundle`` and ``has_kernel_bundle``, sorted by what they are."""

    def __init__(self, what: str, owner: Any, args: tuple[Any, ...], state: bundle_state) -> None:
        if not isinstance(owner, context):
            raise UsageError(errc.invalid, f"{what}: expected a context first, got "
                             f"{type(owner).__name__}")
        self.state = state
        self.ids: list[kernel_id] | None = None
        self.select: Any = None
        self.devices = owner.state.devices
        for arg in args:
            if isinstance(arg, bundle_state):
                self.state = arg
            elif isinstance(arg, list | tuple) and all(isinstance(a, device) for a in arg) and (
                    arg or self.devices is owner.state.devices):
                self.devices = chosen(what, arg, owner)
            elif isinstance(arg, list | tuple):
                self.ids = as_ids(arg)
            elif callable(arg):
                self.select = arg
            else:
                raise UsageError(errc.invalid, f"{what}: did not expect a {type(arg).__name__}; "
                                 "give (context[, devices][, kernels or a selector], state)")

    def images(self) -> list[device_image]:
        """Return one image for each kernel that some device can run."""
        found = [device_image(k, usable)
                 for k in (get_kernel_ids() if self.ids is None else self.ids)
                 if (usable := tuple(d for d in self.devices if runs(d, k)))]
        return [i for i in found if self.select is None or self.select(i)]

    def missing(self) -> str:
        """Return what bundles in this state need and is not there; '' if nothing is missing."""
        need = _NEEDS.get(self.state)
        if need is None:
            return ""
        if any(need not in d.info.aspects for d in self.devices):
            return f"devices with aspect.{need.name}"
        built_in = next((k for k in self.ids or () if isinstance(k, built_in_id)), None)
        return "" if built_in is None else (
            f"kernels that are compiled, and {built_in.get_name()} is built into a device: ask for "
            "state executable")


def chosen(what: str, devices: Iterable[Any], owner: context) -> tuple[DeviceState, ...]:
    """Return devices once each; ``errc.invalid`` for none, and for one outside the context."""
    found = tuple(dict.fromkeys(owner.state.local(d.state) for d in devices))
    if not found:
        raise UsageError(errc.invalid, f"{what}: the list of devices is empty")
    outside = [d.name for d in found if not owner.state.covers(d)]
    if outside:
        raise UsageError(errc.invalid, f"{what}: the context does not have the device "
                         f"'{outside[0]}'")
    return found


@ends_at_call
def get_kernel_bundle(owner: context, *args: Any,
                      state: bundle_state = bundle_state.executable) -> kernel_bundle:
    """Return the program's kernels as a bundle (SYCL 2020 §4.11.7).

    Args:
        owner: the context.
        args: its devices (a list; all if left out), kernels or their ids (a list) or a selector of
            images (a callable), the state.
        state: the state, by name; executable if left out.

    Kernels are compiled in the forms that ``kernel.declare`` named, others when they are launched.
    Raises ``errc.invalid`` for devices outside the context, for kernels no device can run, and for
    states the devices cannot have; ``errc.build`` if a kernel cannot be compiled.
    """
    wanted = _Wanted("get_kernel_bundle", owner, args, state)
    need = wanted.missing()
    if need:
        raise UsageError(errc.invalid, f"get_kernel_bundle: a bundle in state {wanted.state.name} "
                         f"needs {need}")
    images = wanted.images()
    if wanted.ids is not None and len(images) < len(set(wanted.ids)):
        lost = next(k for k in wanted.ids if all(i.id != k for i in images))
        raise UsageError(errc.invalid, f"get_kernel_bundle: no device given can run "
                         f"{lost.get_name()}")
    made = kernel_bundle(owner, wanted.devices, tuple(images), bundle_state.input)
    if wanted.state is bundle_state.input:
        return made
    compiled = made.compiled(wanted.devices)
    return compiled if wanted.state is bundle_state.object else _linked([compiled])


@ends_at_call
def has_kernel_bundle(owner: context, *args: Any,
                      state: bundle_state = bundle_state.executable) -> bool:
    """Say whether ``get_kernel_bundle`` would give a bundle with the kernels (§4.11.8)."""
    wanted = _Wanted("has_kernel_bundle", owner, args, state)
    if wanted.missing():
        return False
    images = wanted.images()
    return len(images) == len(set(wanted.ids)) if wanted.ids is not None else bool(images)


@ends_at_call
def is_compatible(kernels: Iterable[Any], on: device) -> bool:
    """Say whether a device can run all these kernels (SYCL 2020 §4.11.9).

    Their attributes decide, and the forms that ``kernel.declare`` named.
    """
    return all(runs(on.state, k) and (isinstance(k, built_in_id) or on.state in
                                      launch_form.compile_all(k.function, (on.state,), {}))
               for k in as_ids(kernels))


@ends_at_call
def join(bundles: Iterable[kernel_bundle]) -> kernel_bundle:
    """Return the union of bundles of one context, one state and the same devices (§4.11.10).

    Each kernel keeps the constants that its bundle had set.
    """
    given = _checked("join", list(bundles))
    if len({b.state for b in given}) > 1:
        raise UsageError(errc.invalid, "join: all bundles must be in one state")
    if len({frozenset(d.state for d in b.get_devices()) for b in given}) > 1:
        raise UsageError(errc.invalid, "join: all bundles must be for the same devices; get or "
                         "compile them for the same list")
    return _union(given, tuple(d.state for d in given[0].get_devices()))


@ends_at_call
def compile(bundle: kernel_bundle, devices: Any = None, *properties: Any) -> kernel_bundle:
    """Compile a bundle in input state for its devices or some of them (SYCL 2020 §4.11.11).

    Args:
        bundle: the bundle.
        devices: some of its devices; all if left out.
        properties: ``build_options(...)`` for all its kernels.

    Raises ``errc.build`` if a kernel cannot be compiled, ``errc.invalid`` for unknown options.
    """
    return _compiled("compile", bundle, devices, properties)


def _compiled(what: str, bundle: kernel_bundle, devices: Any,
              properties: tuple[Any, ...]) -> kernel_bundle:
    _in_state(what, bundle, bundle_state.input)
    if isinstance(devices, build_options):
        devices, properties = None, (devices, *properties)
    wrong = [p for p in properties if not isinstance(p, build_options)]
    if wrong:
        raise UsageError(errc.invalid, f"{what}: expected devices and build_options, got "
                         f"{wrong[0]!r}")
    traits = attributes_of(properties).traits
    return bundle.compiled(_subset(what, bundle, devices), traits)


@ends_at_call
def link(bundles: kernel_bundle | Iterable[kernel_bundle],
         devices: Iterable[device] | None = None) -> kernel_bundle:
    """Make bundles in object state executable (SYCL 2020 §4.11.11).

    Args:
        bundles: one bundle, or several of one context.
        devices: devices that all of them have; left out, all such devices.
    """
    given = [bundles] if isinstance(bundles, kernel_bundle) else list(bundles)
    _checked("link", given)
    for bundle in given:
        _in_state("link", bundle, bundle_state.object)
    return _linked(given, devices)


@ends_at_call
def build(bundle: kernel_bundle, devices: Any = None, *properties: Any) -> kernel_bundle:
    """Compile and link a bundle in input state, as ``compile`` and ``link`` do (§4.11.11)."""
    return _linked([_compiled("build", bundle, devices, properties)])


def _linked(bundles: list[kernel_bundle], devices: Iterable[device] | None = None) -> kernel_bundle:
    shared = [_subset("link", bundle, devices) for bundle in bundles]
    on = tuple(d for d in shared[0] if all(d in s for s in shared))
    if not on:
        raise UsageError(errc.invalid, "link: the bundles have no device in common")
    whole = _union(bundles, on)
    return whole.derived(bundle_state.executable, on, tuple(
        device_image(i.id, tuple(d for d in i.devices if d in on), i.compiled, i.constants,
                     i.traits)
        for i in whole if any(d in on for d in i.devices)))


def _union(bundles: list[kernel_bundle], devices: tuple[DeviceState, ...]) -> kernel_bundle:
    images: dict[Any, device_image] = {}
    for image in itertools.chain.from_iterable(b.images() for b in bundles):
        images.setdefault(image.likeness(), image)
    made = bundles[0].derived(bundles[0].state, devices, tuple(images.values()))
    for bundle in bundles[1:]:
        made.inherit(bundle)
    return made


def _subset(what: str, bundle: kernel_bundle,
            devices: Iterable[device] | None) -> tuple[DeviceState, ...]:
    have = tuple(d.state for d in bundle.get_devices())
    if devices is None:
        return have
    found = chosen(what, devices, bundle.get_context())
    outside = [d.name for d in found if d not in have]
    if outside:
        raise UsageError(errc.invalid, f"{what}: '{outside[0]}' is not a device of the bundle")
    return found


def _in_state(what: str, bundle: kernel_bundle, state: bundle_state) -> None:
    if not isinstance(bundle, kernel_bundle):
        raise UsageError(errc.invalid, f"{what}: expected a kernel_bundle, got "
                         f"{type(bundle).__name__}")
    if bundle.state is not state:
        raise UsageError(errc.invalid, f"{what}: the bundle must be in state {state.name}, this "
                         f"one is in state {bundle.state.name}")


def _checked(what: str, bundles: list[Any]) -> list[kernel_bundle]:
    if not bundles or not all(isinstance(b, kernel_bundle) for b in bundles):
        raise UsageError(errc.invalid, f"{what}: expected a list of kernel_bundles")
    if len({b.get_context() for b in bundles}) > 1:
        raise UsageError(errc.invalid, f"{what}: all bundles must belong to one context")
    return bundles
