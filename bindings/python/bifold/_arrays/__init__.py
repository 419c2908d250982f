"""Arrays of every kind, and how calls reach their elements."""
