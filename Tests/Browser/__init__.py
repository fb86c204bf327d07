"""The web page and the like button, used in a real browser as people use them, beside a real server.

`python -m Browser` in this folder's parent runs all subjects, `python -m Browser likes live` those two.
"""
