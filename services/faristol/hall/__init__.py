"""The hall service: follows the championship from the cell of a hall, and sends back the events of its tables."""
