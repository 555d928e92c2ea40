"""The pytest plugin: its options, the judging of claims, and the controller's side. This file imports nothing."""
