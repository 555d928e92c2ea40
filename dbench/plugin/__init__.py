"""The pytest plugin: options, verdicts, and the controller's side of a session. Nothing here is imported at once."""
