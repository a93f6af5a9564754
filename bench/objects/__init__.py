"""Programs of objects and text, almost without arrays: instances, containers that grow, characters."""
