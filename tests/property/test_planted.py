"""Each defect that random programs are measured by still has something to replace."""

from __future__ import annotations

from tests.property.planted import PLANTS


def test_every_plant_replaces_a_function_of_the_package() -> None:
    for name, plant in PLANTS.items():
        owner, last = plant.owner()
        assert callable(getattr(owner, last)), name
        assert callable(plant.by(getattr(owner, last))), name
