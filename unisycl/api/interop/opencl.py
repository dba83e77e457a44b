"""``opencl``: what SYCL has in its namespace of that name (SYCL 2020 App. C).

Non-goals: types (``lang.kernels.opencl``), making single objects (``make``). Invariant: nothing
here loads a runtime before an object of it is given.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from unisycl.api.bundles.functions import chosen
from unisycl.api.bundles.source_bundle import built_bundle
from unisycl.api.devices.context import context
from unisycl.api.interop.make import bundle_of
from unisycl.api.interop.native_objects import reference_count
from unisycl.base.enums import backend, bundle_state
from unisycl.base.tracebacks import ends_at_call
from unisycl.lang.kernels import opencl as types


@ends_at_call
class opencl(types.opencl):
    """SYCL's ``sycl::opencl`` namespace: types such as ``cl_float4``, and interoperation."""

    @staticmethod
    def get_reference_count(thing: Any) -> int:
        """Return how often OpenCL's object behind a SYCL object is retained (App. C.7.3).

        Args:
            thing: a device, context, queue, event, kernel, bundle or buffer of the OpenCL backend.
                Of several native objects the first one counts; 0 if there is none any more.
        """
        return reference_count(backend.opencl, thing)

    @staticmethod
    def create_bundle(owner: context, devices: Iterable[Any],
                      natives: Iterable[Any]) -> built_bundle:
        """Return an executable bundle of PyOpenCL's programs or kernels (App. C.7.5).

        Args:
            owner: the context they belong to.
            devices: for which of its devices.
            natives: programs, built where they are not yet, or kernels.
        """
        states = chosen("create_bundle", devices, owner)
        return bundle_of(owner, states, natives, (backend.opencl, bundle_state.executable))
