"""Variables and kernels that the tests of another module use."""

from __future__ import annotations

import numpy as np

from unisycl.ext.oneapi.experimental import device_global, device_image_scope

counter = device_global(np.int32)
scoped = device_global(np.int32, device_image_scope, 4)
unused = device_global(np.int32, device_image_scope)


def count(p):
    counter[()] += 1
    p[0] = counter


def use_scoped(p):
    p[0] = scoped
