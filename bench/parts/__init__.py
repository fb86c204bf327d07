"""One module a part. Each has TITLE, add_options(parser), and measure(options), which gives the section of the report
and a list of what failed."""
