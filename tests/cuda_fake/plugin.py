"""For ``pytest -p tests.cuda_fake.plugin --device cuda``: any tests on the driver that is none."""

from __future__ import annotations

import os

from tests.cuda_fake.install import driver, put
from tests.cuda_fake.library import FakeCuda
from unisycl.backends import registry

FAKE = FakeCuda(seed=int(os.environ.get("UNISYCL_FAKE_SEED", "1")))
FAKE.cards[0].update({75: 7, 76: 5})  # where its kernels run, nothing copies tiles beside them
KERNELS, _ = put(FAKE)
registry.use("cuda", driver(FAKE))
