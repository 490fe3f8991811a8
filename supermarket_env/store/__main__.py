"""Write the layouts that come with the package: `python -P -m supermarket_env.store FOLDER`."""

import sys
from pathlib import Path

from supermarket_env.store.generate import NAMED_PLANS, build_layout
from supermarket_env.store.layout_file import layout_yaml

for name, plan in NAMED_PLANS.items():
    Path(sys.argv[1], f"{name}.yaml").write_text(layout_yaml(build_layout(plan)), encoding="utf-8")
