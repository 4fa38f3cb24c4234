"""Code that a championship and the cells of its halls share: the form of copied events, keys and signatures."""
