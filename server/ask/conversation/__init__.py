"""What makes a row of questions a conversation: follow-ups, their stand-alone form, the memory, doubts."""
