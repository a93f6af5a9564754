"""Schedules: what passes do to make a program fast, as a list of steps that can be printed, edited, stored and taken again."""
