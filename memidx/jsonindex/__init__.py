"""How is an index that is one published JSON file made, read and taken in?

    shape      which keys does it have, and what of a document is in them?
    parsing    is this file one, and what does it hold?
    compare    are its sources still what they were?
    reader     how is it searched like a store?
    exporting  how does a store become one?
    importing  which lines of a store does one become?

The format is described in docs/published-format.md.
"""
