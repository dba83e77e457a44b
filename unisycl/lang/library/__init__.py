"""Internal: functions written in the kernel language itself.

A module says so by ``__kernel_language__ = True`` below its imports: the front end then compiles
its functions as it does a user's, and reports what is wrong in them where the user calls them.
"""
