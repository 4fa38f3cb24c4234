"""gRPC: channels, dispatch by the contract, interceptors, metadata and errors."""
