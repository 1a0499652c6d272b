"""The workbench: what editors and developers do; one folder a feature, API over service over store."""
