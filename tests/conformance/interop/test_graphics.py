"""Sharing with OpenGL (SYCL 1.2 §4.4) is refused, and sharing nothing is never claimed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl import compat12


def refused(call: Any, *args: Any) -> None:
    with pytest.raises(sycl.exception, match="shares memory with OpenGL") as caught:
        call(*args)
    assert sycl.errc.feature_not_supported == caught.value.code()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.row("I-11")
def test_a_context_of_opengl_is_refused(device: sycl.device) -> None:
    for name in ("CL_EGL_DISPLAY_KHR", "CL_GLX_DISPLAY_KHR"):
        refused(compat12.context, {"CL_GL_CONTEXT_KHR": 1, name: 1}, device)
    plain = compat12.context(device)
    refused(plain.get_gl_current_device)
    refused(plain.get_gl_context_devices)
    with pytest.raises(sycl.exception) as caught:
        compat12.context({"nonsense": 1}, device)
    assert sycl.errc.invalid == caught.value.code()
    pytest.skip("not built: no context shares memory with OpenGL")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.row("I-12")
def test_memory_of_opengl_is_refused(device: sycl.device) -> None:
    plain = compat12.context(device)
    refused(compat12.buffer, plain, 1)
    refused(compat12.buffer, sycl.context(device), 1)
    refused(compat12.image, plain, 1)
    refused(compat12.image, plain, 0x0DE1, 1, 0)
    pytest.skip("not built: no context shares memory with OpenGL")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.row("I-13")
def test_accessors_of_opengl_are_refused(queue: sycl.queue) -> None:
    access = compat12.access
    with compat12.buffer(np.zeros(4, np.int32)) as b:
        def body() -> None:
            for target in (access.cl_gl_buffer, access.cl_gl_image):
                refused(b.get_access, access.read_write, target)
            compat12.single_task(lambda: None)
        compat12.command_group(compat12.queue(queue.get_device()), body)
    pytest.skip("not built: no context shares memory with OpenGL")
