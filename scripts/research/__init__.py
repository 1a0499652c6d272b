"""Research: measuring, fitting, training, load, kills and fuzzing. Nothing a user of Lodge needs to run."""
