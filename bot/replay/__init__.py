"""Replaying published conversations through the bot, to see how far it agrees with what was recorded."""
