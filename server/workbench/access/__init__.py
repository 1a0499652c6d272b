"""Access: tokens and roles of the admin API, and the audit log."""
