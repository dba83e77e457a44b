"""Internal: memory of OpenCL devices, shared with the host or not."""
