"""The Python interface, as ``mteval`` gives it out: it calls what the pages and the command line call."""
