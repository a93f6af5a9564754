"""What holds, is live and is available at a point of a program."""
