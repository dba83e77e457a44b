"""Internal: backends' own objects behind SYCL's, and the other way round."""
