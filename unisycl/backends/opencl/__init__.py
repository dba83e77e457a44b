"""Internal: the OpenCL backend; kernels become OpenCL C, run through PyOpenCL."""
