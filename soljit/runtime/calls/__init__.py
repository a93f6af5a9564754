"""One jitted function at run time: dispatch, the slow path of a call, plain Python, inspection."""
