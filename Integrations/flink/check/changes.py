"""Checks of what happens to a job while it runs: another bundle, commands, records that come and go."""
