"""Scripts for the measurements that docs/ quotes."""
