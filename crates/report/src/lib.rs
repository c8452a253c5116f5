//! Outcomes as text, JSON, DOT and SVG.
