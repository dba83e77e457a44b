"""The peers: how each is found and started, and its kernels in its own dialect."""
