"""The whole platform in one process, with time, chance, network and disk controlled by a seed.

What runs is what is shipped: the services, the record on SQLite, relay, consumers and projections. What is replaced
is the world around them: the event loop (``loop``), the network between gRPC callers and servers (``network``), NATS
(``jetstream``), the threads in which SQLite runs (``disk``), and the operating system's processes (``nodes``).
"""
