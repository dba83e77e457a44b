"""Sharing with OpenGL (SYCL 1.2 §4.4): refused, with the way that there is.

Non-goals: sharing itself, which native objects give: a context that PyOpenCL made of OpenGL's goes
to ``make_context``, its memory to ``make_buffer``, and a host task acquires and releases it.
Invariant: nothing here claims to share anything.
"""

from __future__ import annotations

from typing import NoReturn

from unisycl.base.errors import UnsupportedError, errc

PROPERTIES = frozenset((
    "CL_GL_CONTEXT_KHR", "CL_EGL_DISPLAY_KHR", "CL_GLX_DISPLAY_KHR", "CL_WGL_HDC_KHR",
    "CL_CGL_SHAREGROUP_KHR"))
"""What a context that shares with OpenGL is asked for (SYCL 1.2 Table 4.4)."""


def refuse(what: str) -> NoReturn:
    """Refuse what needs a context that shares with OpenGL."""
    raise UnsupportedError(errc.feature_not_supported, f"{what}: no context here shares memory "
                           "with OpenGL; make one natively where the device has "
                           "cl_khr_gl_sharing, and give it to make_context, its memory to "
                           "make_buffer")
