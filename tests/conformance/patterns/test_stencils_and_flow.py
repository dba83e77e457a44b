"""The heat stencil, image blurs and data flow, as the example programs compute them."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.examples import blurs, dataflow, heat
from unisycl.testing import refused

STEPS = {"plain": heat.submit_step, "tiled": heat.submit_tiled_step}


def sizes(device: sycl.device, form: str) -> list[tuple[tuple[int, int], int]]:
    if device.has(sycl.aspect.emulated):
        return [((1, 1), 3), ((17, 17), 4), ((3, 40), 2)]
    steps = 8 if form == "tiled" else 3
    return [((1, 1), 100), ((17, 17), 100), ((1, 70), 7), ((33, 9), 20), ((1000, 1000), steps)]


@pytest.mark.row("J-6")
@pytest.mark.parametrize("form", STEPS)
def test_plates_of_any_size_match_numpy(
        queue: sycl.queue, device: sycl.device, form: str) -> None:
    for shape, steps in sizes(device, form):
        plate = np.random.default_rng(steps).random(shape, np.float32)
        ours = heat.spread(queue, STEPS[form], plate, steps)
        np.testing.assert_allclose(ours, heat.reference(plate, steps), atol=1e-6 * steps)


@pytest.mark.row("J-6")
def test_nothing_flows_over_the_border(queue: sycl.queue) -> None:
    plate = heat.hot_plate(21)
    after = heat.spread(queue, heat.submit_tiled_step, plate, 9)
    assert abs(float(after.sum()) - float(plate.sum())) < 1e-3
    assert after.min() >= 0
    assert after.max() <= 1 + 1e-6


@pytest.mark.row("J-9")
@pytest.mark.parametrize("form", blurs.FORMS)
@pytest.mark.parametrize(("shape", "radius"), [((1, 1), 2), ((9, 20), 1), ((17, 5), 3)])
def test_blurs_agree(queue: sycl.queue, device: sycl.device, form: str, shape: tuple[int, int],
                     radius: int) -> None:
    pixels = np.random.default_rng(radius).random((*shape, 4), np.float32)
    weights = blurs.bell(radius)
    needs = [sycl.aspect.image] if "image" in form else []
    with refused(device, *needs):
        ours = blurs.FORMS[form](queue, pixels, weights)
    np.testing.assert_allclose(ours, blurs.reference(pixels, weights), rtol=1e-5)


@pytest.mark.row("J-11")
@pytest.mark.parametrize("form", ["by_accessors", "by_events", "in_order"])
@pytest.mark.parametrize("n", [1, 1000])
def test_a_diamond_of_kernels(queue: sycl.queue, form: str, n: int) -> None:
    values = np.random.default_rng(n).integers(-100, 100, n).astype(np.int32)
    assert np.array_equal(dataflow.expected(values), getattr(dataflow, form)(queue, values))


@pytest.mark.row("J-11", "B-7")
def test_an_array_without_final_data_keeps_its_values(queue: sycl.queue) -> None:
    values = np.arange(100, dtype=np.int32)
    scratch, result = dataflow.temporary_over_an_array(queue, values)
    assert np.array_equal(values, scratch)
    assert np.array_equal(4 * values, result)


@pytest.mark.row("J-11")
@pytest.mark.parametrize("n", [1, 100, 5000])
def test_two_devices_share_the_work(device: sycl.device, n: int) -> None:
    queues = dataflow.several_queues(device)
    assert len(queues) == 2
    assert queues[0].get_device() != queues[1].get_device()
    values = np.arange(n, dtype=np.int32)
    assert np.array_equal(2 * values, dataflow.split(queues, values))
    other = next(d for d in sycl.device.get_devices() if d != device)
    assert np.array_equal(2 * values, dataflow.split([sycl.queue(device), sycl.queue(other)],
                                                     values))
