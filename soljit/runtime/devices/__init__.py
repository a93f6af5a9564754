"""Devices: compilers of kernels, images of compiled kernels, and the layer that runs them."""
