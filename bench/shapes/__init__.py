"""Programs of ordinary length whose compilation once took long, one a file: TARGET (processor seconds of the first call), `arguments()` and the function `f`."""
