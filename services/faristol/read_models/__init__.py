"""The service ``results``: the public read models, computed only from events.

``projections`` fold the record into the rows of ``storage``. ``api`` answers, with values of ``computed``. The rows
contain no names: names are joined when an answer is made, so an erased person disappears from every page at once.
"""
