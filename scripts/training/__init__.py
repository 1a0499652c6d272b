"""Training a writer: data of open sets, the trainer with PyTorch, its export and how well the result does."""
