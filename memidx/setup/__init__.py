"""What does a repository need before memidx can serve it?

    blocks         how does a text of ours live in a file of somebody else's?
    git            what does git have to know?
    roles          which kinds of memory are there, and how does one know them?
    detect         which of them does this repository have?
    configuration  how is that written down?
    starter        which queries can a new suite begin with?
    agents         what does an agent have to be told?
    project        what is written where, and what is left alone?

Nothing that is there is overwritten: a file of the user's is left, or gets a marked block.
"""
