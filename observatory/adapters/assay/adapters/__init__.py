"""Published systems as engines, each with its packages in requirements/."""
