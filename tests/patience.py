"""How long tests wait: as long as a busy machine needs, and no test passes or fails by it otherwise."""

OUTER_LIMIT = 600.0  # seconds in which something must have happened that takes a moment on an idle machine
