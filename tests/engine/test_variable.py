

def test_a_traced_array_of_labels_is_told_how_it_is_passed():
    def picked(p, labels):
        return np.sum(p[np.arange(2), labels])

    labels = np.array([1, 0])
    with pytest.raises(ad.BranchError, match=r"such as labels, as keyword arguments"):
        ad.trace(picked, np.eye(2), labels)
    assert len(ad.trace(picked, np.eye(2), labels=labels).inputs) == 1
