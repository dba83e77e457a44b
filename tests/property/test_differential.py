"""Random programs give the same bits on the CPU as on the host device."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.property.cases import check
from tests.property.programs import program
from tests.sampling import SAMPLE

# What random programs do with their names may be told; what they compute is compared.
pytestmark = pytest.mark.filterwarnings("ignore::unisycl.KernelWarning")
SEEDS, FEWER = 60, 4
programs = st.integers(0, (1 << 32) - 1).map(program)
"""Programs as a hypothesis strategy."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Have a sample run fewer programs: ``fuzz`` runs thousands."""
    if "seed" in metafunc.fixturenames:
        few = metafunc.config.getoption("--sample")
        metafunc.parametrize("seed", range(FEWER if few else SEEDS))


def test_a_program_of_a_seed(seed: int) -> None:
    check(program(seed))


@settings(max_examples=2 if SAMPLE[0] else 8, deadline=None, derandomize=True, database=None,
          suppress_health_check=list(HealthCheck))
@given(programs)
def test_programs_that_hypothesis_chooses(text: str) -> None:
    check(text)


def test_a_program_depends_on_its_seed_alone() -> None:
    assert program(17) == program(17)
