"""The table of sites: who may embed the widget, how it looks there, whom its visitors can ask."""
