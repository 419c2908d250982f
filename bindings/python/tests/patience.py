"""How long tests wait."""

# Seconds, a limit for waits that end: ctest's own, which only a hang meets, comes long before.
PATIENCE = 86400
