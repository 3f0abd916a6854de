"""What does a query read?"""
