"""From a wrong answer to its mending: one page, four ways."""
