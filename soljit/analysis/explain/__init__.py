"""What `explain()` tells of a program."""
