"""The platform as its clients use it: the services, what they refuse, and a judge's work. Import the modules."""
