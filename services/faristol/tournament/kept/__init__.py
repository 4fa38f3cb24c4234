"""Commands on results that the cell of a hall keeps without a line, and their execution in the championship."""
