"""Extensions: command graphs, pipes of events, libraries, profiling."""

from typing import TYPE_CHECKING

import numpy as np

import unisycl as sycl
from unisycl.oneapi import dpl

if TYPE_CHECKING:
    from typing import reveal_type

exp = sycl.ext.oneapi.experimental
q = sycl.queue("cpu", sycl.property.queue.enable_profiling())
data = sycl.malloc_shared(100, np.float32, q)
graph = exp.command_graph(q)
with graph.record(q):
    q.fill(data, 1.0)
ready = graph.finalize()
done = q.ext_oneapi_graph(ready)
reveal_type(done)  # event
done.wait()
print(done.get_profiling_info(sycl.info.event_profiling.command_end))


def handled(errors: sycl.exception_list) -> None:
    for error in errors:
        print(error)


other = sycl.queue(sycl.cpu_selector_v, async_handler=handled)
values = np.random.default_rng(0).random(100)
print(dpl.reduce(other, values))
