"""Gateway: HTTP for users and results apps.

Pages, JSON and server-sent events, all read from the services over gRPC. The gateway stores no state, so any number of
gateways can run in front of a cell.
"""
