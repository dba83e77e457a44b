"""Internal: buffers, accessors, USM, and memory of other libraries."""
