"""What has changed, and what follows?"""
