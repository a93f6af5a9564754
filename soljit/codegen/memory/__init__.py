"""Where containers live, and how their elements are reached and written."""
