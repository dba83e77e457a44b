"""The exceptions of SYCL 1.2 (§3.2).

Non-goals: raising. Invariant: whatever unisycl raises is an ``exception``.
"""

from __future__ import annotations

from unisycl.base.errors import DeviceError, NativeError
from unisycl.base.errors import exception as modern

exception = modern
"""SYCL 1.2 §3.2: every error; it has ``get_description`` too."""

cl_exception = NativeError
"""SYCL 1.2 §3.2: an error of a native interface; ``get_cl_code`` returns its code."""

async_exception = DeviceError
"""SYCL 1.2 §3.2: an error of a command, found while it ran."""
