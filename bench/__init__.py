"""What a stream costs, beside what one would use instead: run by `make bench`."""
