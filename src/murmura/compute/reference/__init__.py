"""The reference: all pairs of agents, in double precision. Knows no index and no compiler."""

from murmura.compute.reference.backend import BackendReference
from murmura.compute.reference.dry_run import dry_run
from murmura.compute.reference.evaluation import Evaluation

__all__ = ["BackendReference", "Evaluation", "dry_run"]
