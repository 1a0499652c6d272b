"""Sites: the table of sites, read and changed."""
