"""One file per subject: what people care about when they use the page."""
