"""The whole platform in one process, with time, chance, network and disk controlled by a seed.

The simulated code is the shipped code: the services, the record on SQLite, relay, consumers and projections. The
replaced parts are the environment: the event loop (``loop``), the network between gRPC callers and servers
(``network``), NATS (``jetstream``), the threads in which SQLite runs (``disk``), and the operating system's processes
(``nodes``).
"""
