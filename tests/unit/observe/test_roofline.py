"""The picture of a kernel under its device's roof."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

import unisycl as sycl


def measured(nbytes, flops):
    return sycl.ext.unisycl.measurement("saxpy", "a device", (0.5, 0.25), nbytes, flops)


def test_a_kernel_is_compared_with_the_lower_of_two_roofs(tmp_path):
    low = measured(1e9, 2e9).roofline(bandwidth=8e9, rate=1e12)
    assert (low.bound, low.share) == ("memory", pytest.approx(0.5))
    assert str(low) == "50 % of the roof, which is the memory"
    high = measured(1e6, 1e9).roofline(bandwidth=8e9, rate=1e10)
    assert (high.bound, high.share) == ("arithmetic", pytest.approx(0.4))
    low.save(tmp_path / "roof.svg")
    root = ET.parse(tmp_path / "roof.svg").getroot()
    assert root.tag.endswith("svg")
    assert low._repr_svg_() == low.text
    (circle,) = root.iter("{http://www.w3.org/2000/svg}circle")
    assert 70 <= float(circle.get("cx")) <= 550
    assert 20 <= float(circle.get("cy")) <= 280


def test_a_roofline_needs_bytes_and_operations():
    with pytest.raises(sycl.exception, match="nbytes"):
        measured(0, 1e9).roofline(1e9, 1e9)
    with pytest.raises(sycl.exception, match="above 0"):
        measured(1e9, 1e9).roofline(0, 1e9)
