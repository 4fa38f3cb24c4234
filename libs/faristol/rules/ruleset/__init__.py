"""Rule sets: values by section, options, files, pins and the articles of the books."""
