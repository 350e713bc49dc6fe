"""The rating systems in their versions, with their tables: rates the games of one period, and knows no event, no person and no order."""
