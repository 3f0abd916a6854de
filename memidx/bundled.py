"""The place of the bundle: what `memidx.bytecode` writes is this module's file of bytecode.

So whoever removes or moves the package's files takes the bundle along. Nobody imports this.
"""
