"""Where values live: from when until when, and in which bytes.

What the source of the op graph, Nervana Graph (2016 to 2018), says of the reuse of memory and of its passes, and what
is here:

=======================================  ==============================================================================
statement of the source                  here
=======================================  ==============================================================================
intermediate values are in place         where it is safe: ``overwritten``; there it was promised, and switched off
liveness backward, results and storage   ``lifetimes_of``; what is stored at the end is a result. Storage that is only
live to the end                          read has bytes from outside, which are not planned
operands live while an operation runs    ``Lifetime``: ``first`` and ``last`` are both included
interference graph, weights in bytes     ``interference``; the weight is that of the value
greedy weighted coloring                 ``colored``, from its definition; in the code there, sets of neighbors changed
                                         while they were read
the total is the sum of the buffers      ``Layout.peak`` of ``plan.coloring``
best-fit and first-fit offsets           ``Arena``; pieces that are free are merged
middle-out offsets                       left out: ``largest_first`` is nearly always at the lower bound
live, new and free values by operation   the Steps of ``allocation``, ``plan.live``
operations moved to save memory          left out: they run in the order in which ops are built and control edges say
a check that nothing is read too early   the tests run random programs in their planned bytes, filled with garbage
fusion by Kennedy, of operations on      ``fusion``; edges between operations that only share an operand have no weight
entries, and with a reduction after
them
fusion of a reduction with what reads    left out: a loop cannot read a sum before it has ended
it
-(k), a · 0, a · 1, a · (-1), a + 0,     ``simplification``, by the rules of array programs, and for log(exp x) and
sums of constants, log(exp x),           log(exp x / y) by one that is new there
log(exp x / y)
products of constants                    folded where the array is a constant; of a number that is repeated left out
lowering to 0, 1 and 2 axes              left out: NumPy computes with any number of axes
=======================================  ==============================================================================
"""
