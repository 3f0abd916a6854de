"""Which hits, in what order, and why none?"""
