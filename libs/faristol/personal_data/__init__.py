"""Personal data: the details of persons beside the events, and their erasure.

``people`` stores and reads the details, and ``erasure`` erases a name, with the file of erased persons.
Notes, bindings and stored rows are part of the store: ``faristol.event_store.beside_events``.
"""
