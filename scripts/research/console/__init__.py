"""The console: its journeys, its times, and what editors' answers reach."""
