"""Lessons for a class of 50 minutes, as data, and the page and the handout that they become."""
