"""Documents that pages link to (PDF, DOCX, PPTX): each becomes HTML, in a process of its own."""
