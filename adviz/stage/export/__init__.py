"""A scene written down: SVG, PNG, PDF, GIF, MP4, HTML and text."""
