"""The composition of a cell: all services in one process, or one of them. Import the modules."""
