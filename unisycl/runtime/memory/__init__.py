"""Internal: memory behind buffers and USM, and where its bytes are."""
