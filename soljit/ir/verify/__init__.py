"""What the IR promises, checked."""
