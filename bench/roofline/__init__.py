"""How far each kernel is from what the machine can do: counts, measured peaks, table and picture."""
