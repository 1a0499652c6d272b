"""Sites in the console: the line that puts the widget on a site."""
