"""Pairs of host and device memory: what is current where, what can be placed."""
