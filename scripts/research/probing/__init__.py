"""Others' attacks on a running Lodge."""
