"""Internal: OpenCL C, and the faults of its compilers, as data."""
