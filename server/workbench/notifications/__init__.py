"""Notifications: who wants to be told of what, what is found to tell, and how it gets there."""
