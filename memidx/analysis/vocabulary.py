"""Which English words say little about what a text is about?

`STOP_WORDS` are the 33 of Lucene's English analyzer: not counted in a field's length, and
searched only when a query has nothing else. `FUNCTION_WORDS` are the words that questions are
built from: searched, at a fraction of the weight, and not counted as content.
Words are in folded form; "don't" is `dont`.
"""

from __future__ import annotations

_STOP = (
    "a an and are as at be but by for if in into is it no not of on or such that the their "
    "then there these they this to was will with"
)

_FUNCTION = (
    # Questions.
    "what whats when where which who whom whose why how "
    # Auxiliaries and their negations.
    "am been being can cannot cant could couldnt did didnt do does doesnt doing done dont had "
    "hadnt has hasnt have havent having isnt arent wasnt werent may might must mustnt ought "
    "shall should shouldnt were wont would wouldnt "
    # Pronouns and determiners.
    "i me my mine myself we us our ours ourselves you your yours yourself he him his himself she "
    "her hers herself its itself them theirs themselves those some any each every either neither "
    "both all another other others one ones someone something anyone anything everything "
    # Prepositions and conjunctions.
    "about above across after against along among around because before behind below beside "
    "besides between beyond despite down during except from inside like near off onto out over "
    "per since so than though through throughout till toward towards under until unless up upon "
    "via whether while within without "
    # Adverbs and verbs of asking.
    "again also already always ever here just more most much many very too only still yet quite "
    "rather really please tell show give find get got let make made know say said"
)

STOP_WORDS = frozenset(_STOP.split())
FUNCTION_WORDS = frozenset(_FUNCTION.split())
