"""The text form of programs, their JSON form, and the readers of both."""
