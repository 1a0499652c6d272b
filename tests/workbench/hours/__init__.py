"""What the editors' page of opening hours rests on."""
