"""What tests leave out on runtimes with faults that no program can go round."""

from __future__ import annotations

import pytest

import unisycl as sycl


def skip_where_one_kernel_cannot_overlap(device: sycl.device) -> None:
    """Skip on PoCL 3: a kernel that runs twice at once in different sizes ends the process."""
    platform = device.get_platform().get_info(sycl.info.platform.name)
    version = device.get_info(sycl.info.device.driver_version)
    if platform.startswith("Portable") and version.startswith("3."):
        pytest.skip(f"PoCL {version} ends the process where a kernel runs twice at once in "
                    "different sizes (docs/opencl.md)")
