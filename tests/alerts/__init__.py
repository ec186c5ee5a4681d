"""Alert kinds on real promtool."""
