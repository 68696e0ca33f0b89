"""Settings of the property tests."""

from hypothesis import settings

settings.register_profile("without deadline", deadline=None)  # a busy machine is no failure
settings.load_profile("without deadline")
