"""Internal: command graphs (sycl_ext_oneapi_graph)."""
