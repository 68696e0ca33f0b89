"""One module a step, the number first."""
