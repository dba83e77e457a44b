"""Internal: IR to LLVM IR in vectors."""
