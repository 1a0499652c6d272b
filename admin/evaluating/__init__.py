"""The parts of the page on evaluation."""
