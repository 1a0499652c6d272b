"""The parts of the page *Snapshots*."""
