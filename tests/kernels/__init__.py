"""Whole functions as users write them."""
