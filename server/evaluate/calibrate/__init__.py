"""`lodge calibrate`: a setting from a question set, by cross-validation, and how sure that is."""
