"""For ``pytest -p tests.cuda_fake.plugin --device cuda``: any tests on the driver that is none."""

from __future__ import annotations

import os

from tests.cuda_fake.install import driver, put
from tests.cuda_fake.library import FakeCuda
from unisycl.backends import registry

FAKE = FakeCuda(seed=int(os.environ.get("UNISYCL_FAKE_SEED", "1")))
KERNELS, _ = put(FAKE)
registry.use("cuda", driver(FAKE))
