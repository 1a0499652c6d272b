"""Two made-up universities as their web sites emit them, to train and measure on."""
