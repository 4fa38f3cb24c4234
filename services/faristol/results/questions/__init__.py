"""What can be asked of the read models: each answered by a function of them and its request."""
