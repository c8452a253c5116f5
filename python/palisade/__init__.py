"""What Palisade has for Python: suites on a cluster, see `palisade.cluster`."""
