"""The scorecard: a site's published figures, each with its number, interval, date and command."""
