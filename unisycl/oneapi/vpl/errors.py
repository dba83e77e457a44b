"""The errors of oneVPL's calls.

Invariant: a text says what was given, and how to mend it; inputs are unchanged.
"""

from __future__ import annotations

import unisycl as sycl


class invalid_argument(sycl.UsageError):
    """A parameter, a surface or an order of calls is wrong (``MFX_ERR_INVALID_VIDEO_PARAM``)."""

    def __init__(self, text: str) -> None:
        super().__init__(sycl.errc.invalid, text)


class unsupported(sycl.UnsupportedError):
    """No implementation has what is asked for (``MFX_ERR_UNSUPPORTED``, ``MFX_ERR_NOT_FOUND``)."""

    def __init__(self, text: str) -> None:
        super().__init__(sycl.errc.feature_not_supported, text)


class bitstream_error(sycl.DeviceError):
    """A stream is corrupt, or not of the codec (``MFX_ERR_UNDEFINED_BEHAVIOR``)."""

    def __init__(self, text: str) -> None:
        super().__init__(sycl.errc.runtime, text)
