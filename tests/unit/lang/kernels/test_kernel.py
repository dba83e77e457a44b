"""The ``kernel`` decorator."""

import pytest

from unisycl.base.errors import UsageError
from unisycl.lang.kernels.kernel import kernel


def test_a_kernel_is_still_the_function():
    @kernel
    def twice(x):
        """Double."""
        return 2 * x
    assert twice(4) == 8
    assert (twice.__name__, twice.__doc__, twice.reqd_work_group_size) == ("twice", "Double.", ())
    assert twice.__unisycl_function__ is twice.function


def test_attributes_are_kept():
    @kernel(reqd_work_group_size=(8, 4), reqd_sub_group_size=16, work_group_size_hint=32)
    def sized(it):
        return it
    assert sized.reqd_work_group_size == (8, 4)
    assert sized.work_group_size_hint == (32,)
    assert sized.reqd_sub_group_size == 16


def test_a_method_may_be_a_kernel():
    class Holder:
        factor = 3

        @kernel
        def scale(self, x):
            return self.factor * x
    assert Holder().scale(2) == 6


@pytest.mark.parametrize("size", [(0,), (1, 1, 1, 1), (2.5,)])
def test_impossible_sizes_are_refused(size):
    with pytest.raises(UsageError, match="reqd_work_group_size"):
        kernel(reqd_work_group_size=size)


def test_only_functions_can_be_kernels():
    with pytest.raises(UsageError, match="expected a function, got int"):
        kernel(5)
