"""What a line is heard to be before anything is looked up: distress, small talk, harm, several questions."""
