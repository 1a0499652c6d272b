"""Opening hours: what was understood of each place, and what editors say instead."""
