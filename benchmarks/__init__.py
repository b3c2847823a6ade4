"""Measurements that docs/ quotes, each one a script."""
