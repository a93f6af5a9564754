"""The dataflow view, drawn."""
