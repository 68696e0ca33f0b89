"""The Python interface, exported by ``mteval``."""
