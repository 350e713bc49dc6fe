"""Files and HTTP requests turned into facts: validates, reports every adjustment and refuses instead of guessing, and knows no rating."""
