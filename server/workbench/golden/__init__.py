"""Golden questions: kept, asked, and made of traces."""
