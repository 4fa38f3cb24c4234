"""The gateway: HTTP for people and for results apps.

Pages, JSON and server-sent events, all of it out of the results service over gRPC. It owns nothing: any number
of gateways can stand in front of a cell.
"""
