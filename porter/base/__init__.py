"""What every part of porter may use: files, processes, locks, names, sizes. It knows no part."""
