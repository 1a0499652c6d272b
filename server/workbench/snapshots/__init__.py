"""Snapshots: looked at, compared, built, published behind the golden questions, rolled back."""
