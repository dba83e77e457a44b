"""The names usable inside kernels; each is ordinary Python that the host device runs as it stands.

Internal room: programs use ``unisycl``.
"""
