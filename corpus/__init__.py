"""Texts and questions to try the system on."""
