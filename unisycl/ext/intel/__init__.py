"""Public: extensions of SYCL by Intel: pipes, and what hardware descriptions say about kernels.

Attributes and loop controls are kept where they mean something elsewhere, hints have no effect.
Non-goals: making hardware. Invariant: the core imports nothing from here.
"""

from unisycl.api.pipes.io_pipe import kernel_readable_io_pipe, kernel_writeable_io_pipe
from unisycl.api.pipes.pipe import pipe
from unisycl.api.pipes.pipe_check import check_pipes
from unisycl.api.properties import buffer_location, mem_channel
from unisycl.ext.intel import experimental
from unisycl.lang.library.hardware import (
    disable_loop_pipelining,
    fpga_mem,
    fpga_reg,
    initiation_interval,
    ivdep,
    loop_coalesce,
    lsu,
    max_concurrency,
    max_global_work_dim,
    max_interleaving,
    max_work_group_size,
    min_work_groups_per_cu,
    no_global_work_offset,
    num_simd_work_items,
    scheduler_target_fmax_mhz,
    speculated_iterations,
    unroll,
)

__all__ = [
    "buffer_location", "check_pipes", "disable_loop_pipelining", "experimental", "fpga_mem",
    "fpga_reg",
    "initiation_interval", "ivdep", "kernel_readable_io_pipe", "kernel_writeable_io_pipe",
    "loop_coalesce", "lsu", "max_concurrency", "max_global_work_dim", "max_interleaving",
    "max_work_group_size", "mem_channel", "min_work_groups_per_cu", "no_global_work_offset",
    "num_simd_work_items", "pipe",
    "scheduler_target_fmax_mhz", "speculated_iterations", "unroll",
]
