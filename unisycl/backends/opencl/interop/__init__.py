"""Internal: objects that programs make themselves with PyOpenCL."""
