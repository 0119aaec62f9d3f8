"""A machine that follows a schedule of checkpoints, and refuses what is impossible."""

from collections.abc import Iterable, Sequence


def followed(
    schedule: Iterable[tuple[str, int]], sizes: Sequence[int], start: Iterable[int] = ()
) -> tuple[list[tuple[str, int]], int]:
    """The actions of a schedule that reverses all stages, last to first, and the most that is kept.

    ``sizes`` are those of the states before the stages; those of ``start`` are there without being kept.
    """
    at, kept, most, reversed_ones, actions = 0, set[int](), 0, list[int](), list[tuple[str, int]]()
    for action, k in schedule:
        actions.append((action, k))
        if action == "restore":
            assert k in kept.union(start)
            at = k
            continue
        assert k == at, "an action is for the state that is there"
        if action == "keep":
            kept.add(k)
            most = max(most, sum(sizes[each] for each in kept))
        elif action == "advance":
            at += 1
        else:
            assert action == "reverse"
            at += 1
            kept.discard(k)
            reversed_ones.append(k)
    assert reversed_ones == list(reversed(range(len(sizes))))
    assert kept == set()
    return actions, most
