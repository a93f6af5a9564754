"""Where the time of decorated functions goes, line by line: `soljit.profile()`."""
