"""Ground floor: source places, errors, settings, timed trace. Imports nothing of soljit."""
