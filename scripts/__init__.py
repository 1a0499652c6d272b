"""Export, training and build steps, with requirements of their own."""
