"""What is made of a trace afterwards: a table to read, a question to ask again, two answers compared."""
