"""Results: the public read models, computed only from events.

``model.apply`` folds the record into rows. The rows hold no names: names are joined when an answer is made, so an
erased person disappears from every page at once.
"""
