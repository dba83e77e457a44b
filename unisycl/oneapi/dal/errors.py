"""The errors of oneDAL's routines (``oneapi::dal::exception``).

Non-goals: errors of kernels and launches. Invariant: a text says which routine, what it was given,
and how to mend it; what was given is unchanged.
"""

from __future__ import annotations

import unisycl as sycl


class invalid_argument(sycl.UsageError):
    """A descriptor, a table or another argument is wrong (``dal::invalid_argument``)."""

    def __init__(self, text: str) -> None:
        super().__init__(sycl.errc.invalid, text)


class domain_error(sycl.UsageError):
    """The data do not determine what was asked for (``dal::domain_error``)."""

    def __init__(self, text: str) -> None:
        super().__init__(sycl.errc.invalid, text)


class unimplemented(sycl.UnsupportedError):
    """An algorithm has no such mode, or a device lacks what it needs (``dal::unimplemented``)."""

    def __init__(self, text: str) -> None:
        super().__init__(sycl.errc.feature_not_supported, text)
