"""Results: what the public reads, computed from events and from nothing else.

Read models are rows that ``model.apply`` folds out of the record. They hold no names: those are joined when
an answer is given, so that an erased person is gone from every page at once.
"""
