"""Scenes of IFC and STEP files: ``clearsweep convert``, ``Scene.from_ifc``, ``Scene.from_step``."""
