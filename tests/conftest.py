"""Hypothesis profiles (`dev`: the same run every time; `deep`: further and elsewhere), and no embedder by default."""

import os

from hypothesis import HealthCheck, settings

# A test that sets `max_examples` itself is no deeper under `deep`: leave the number to the profile.
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("dev", PATIENT, max_examples=100, derandomize=True)
settings.register_profile("deep", PATIENT, max_examples=2000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))

# Hubs of tests embed nothing unless the test says what with: the subject of most is not what words mean.
os.environ["HUB_EMBEDDER"] = "none"

# Nor do they ask a model, whatever the machine they run on is set to.
os.environ.pop("HUB_MODEL", None)
