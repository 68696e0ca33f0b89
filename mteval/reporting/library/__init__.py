"""What an experiment in the library means: its files and edits, its settings, its numbers, and what a list shows."""
