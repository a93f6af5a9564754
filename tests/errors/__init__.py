"""What a user meets when something is wrong: exceptions as Python raises them, refusals with place and cure."""
