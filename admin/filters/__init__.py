"""What editors set for a site: its parts in words, its forms, its draft tried, its versions."""
