"""What the step `hours` rests on: which place is named, and its hours on a day."""
