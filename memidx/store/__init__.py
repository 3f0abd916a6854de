"""How does the index survive a crash, a merge and a flipped bit?

    line      what is one document, in bytes?
    layout    which shard holds it, and in which place?
    manifest  what does the store say of itself?
    reader    which documents are there, and what is damaged?
    writer    how do changed shards replace the old ones?
    patch     can the one line that changed be patched?
    patcher   how does a patch get into its shard?
    sed       what does a sed script say, and do?
    lock      who may write?
    merge     what becomes of a store that two branches changed?
    driver    how does git merge one file of it?

The bytes are described in docs/store-format.md.
"""
