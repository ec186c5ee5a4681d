"""Alert kinds, one file each."""
