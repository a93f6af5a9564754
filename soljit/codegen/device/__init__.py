"""Programs for a device: kernels, and the host code around them."""
