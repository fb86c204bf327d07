"""What the documents say, held against the project and the real binary; Python with its standard library only."""
