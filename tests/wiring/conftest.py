"""The stand-in for Typesense, or a real server, as the tests of the search room have it."""

from tests.index.typesense.conftest import nodes, rig, stand_in

__all__ = ["nodes", "rig", "stand_in"]
