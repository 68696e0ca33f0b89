"""Read bytes or paths into an experiment: decode files, guess their roles, check the data.

``formats.uploads.unpack`` turns uploads into documents of streams. ``guesses.layout.guess`` assigns a role to each
stream, and the user edits it. ``assembly.experiment.assemble`` builds the experiment and reports what does not fit.
``checks.check`` inspects it before any statistics. ``named_files.load_paths`` does all of this for a command line.
"""
