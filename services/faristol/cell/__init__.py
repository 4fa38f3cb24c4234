"""A cell put together: every service in one process, or one of them. Import the modules."""
