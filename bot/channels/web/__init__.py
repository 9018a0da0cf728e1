"""The web channel: a chat page for everyone, and the pages that lead participants through a study."""
