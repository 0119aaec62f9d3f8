"""Plotly figures: how large graphs are, what orders cost, how quick programs are."""
