"""Opening hours as pages, editors and visitors write them."""
