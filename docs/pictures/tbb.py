"""Draw tbb.png: who does what when, in a flow graph whose kernels run on a queue."""

import threading
import time
from pathlib import Path

import matplotlib as mpl
import numpy as np

import unisycl as sycl
from unisycl.oneapi import tbb
from unisycl.oneapi.tbb import flow

mpl.use("Agg")
from matplotlib import pyplot as plt

queue = sycl.queue()
memory = [sycl.malloc_shared(1 << 17, np.float32, queue) for _ in range(8)]
done: list[tuple[str, int, int, float, float]] = []


def smooth(i, data):
    """Compute for a while."""
    x = data[i]
    for _ in range(8):
        x = sycl.sin(x) + np.float32(0.5)
    data[i] = x


def timed(what, k, work):
    """Do some work, and note when."""
    begun = time.perf_counter()
    found = work()
    done.append((what, k, threading.get_ident(), begun, time.perf_counter()))
    return found


def read(k):
    """Wait, as for a file."""
    timed("read", k, lambda: time.sleep(0.012))
    return k


def start(k, gateway):
    """Start a message's kernel."""
    del gateway
    begun = time.perf_counter()
    event = queue.parallel_for(1 << 17, smooth, memory[k])

    def ended(h):
        h.depends_on(event)
        h.host_task(lambda: done.append(("kernel", k, 0, begun, time.perf_counter())))

    return queue.submit(ended)


def write(k):
    """Wait, and let the next message in."""
    timed("write", k, lambda: time.sleep(0.006))
    return flow.continue_msg()


queue.parallel_for(1 << 17, smooth, memory[0]).wait()  # compiled before
graph = flow.graph()
numbers = flow.input_node(graph, tbb.items_of(range(8)))
limit = flow.limiter_node(graph, 3)
reader = flow.function_node(graph, flow.unlimited, read)
kernel = flow.async_node(graph, flow.serial, start)
writer = flow.function_node(graph, flow.serial, write)
for one, other in ((numbers, limit), (limit, reader), (reader, kernel), (kernel, writer),
                   (writer, limit.decrementer)):
    flow.make_edge(one, other)
numbers.activate()
graph.wait_for_all()

figure, axes = plt.subplots(figsize=(10, 2.6))
first = min(d[3] for d in done)
lines = {"read": 2, "kernel": 1, "write": 0}
for what, k, _, begun, ended in done:
    axes.barh(lines[what] + 0.22 * (k % 3 - 1), (ended - begun) * 1e3, 0.2, (begun - first) * 1e3,
              color=plt.colormaps["viridis"](k / 8))
    axes.text((begun - first) * 1e3 + 0.3, lines[what] + 0.22 * (k % 3 - 1), str(k), fontsize=7,
              va="center", color="white")
axes.set_yticks(list(lines.values()), ["function_node: read", "async_node: kernel",
                                       "function_node: write"])
axes.set_xlabel("milliseconds")
axes.set_title("eight messages, three at a time")
figure.tight_layout()
figure.savefig(Path(__file__).with_suffix(".png"), dpi=80)
