"""The visitor's pages, the API and the admin API."""
