"""Internal: LLVM IR to machine code in memory, and the machine it is for."""
