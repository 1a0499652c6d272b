"""What a deadline that is over rests on, and which comes next."""
