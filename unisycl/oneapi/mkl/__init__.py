"""Public: oneMKL's domains: random numbers (``rng``)."""
