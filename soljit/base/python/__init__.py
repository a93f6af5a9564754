"""Questions about Python's objects: names, classes, signatures, what functions depend on."""
