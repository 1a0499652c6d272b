"""What editors have set, laid over a snapshot: pages left out, pages favoured, visitors' words reworded."""
