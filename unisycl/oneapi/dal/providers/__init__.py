"""Who does the work of oneDAL's algorithms: our kernels, or scikit-learn."""
