"""A talk about the luck in an experiment: what each slide says, and the file that plays them."""
