"""Coverage: counts of what was asked, and pages held against it."""
