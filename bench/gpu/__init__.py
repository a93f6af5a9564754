"""One machine with a GPU, measured in minutes: `python -m bench gpu` (`command.py`)."""
