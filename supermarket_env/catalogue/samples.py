"""Print the page of samples in ``docs/catalogue.md``: ``python -m supermarket_env.catalogue.samples``.

One type of every department is drawn from the seed and three of its products, spread over its prices. With ``--write
FILE`` the part of that file between the two sample marks is replaced.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from supermarket_env.catalogue.draws import Draws
from supermarket_env.catalogue.load import load_catalogue
from supermarket_env.catalogue.schema import Catalogue, Product
from supermarket_env.errors import CatalogueError

BEGIN, END = "<!-- samples: begin -->", "<!-- samples: end -->"
_TYPES_PER_DEPARTMENT = 2
_PRODUCTS_PER_TYPE = 3


def samples_markdown(catalogue: Catalogue, seed: int = 0) -> str:
    """Return a Markdown table of sample products, two types a department, three products a type."""
    draw = Draws(seed)
    lines = ["| type | product | price | rating | claims | allergens |", "|---|---|---|---|---|---|"]
    for department in catalogue.departments:
        numbers = [i for i, kind in enumerate(catalogue.types) if kind.department == department]
        lines.append(f"| **{department}** | | | | | |")
        for number in sorted(sorted(numbers, key=lambda i: draw(1, i))[:_TYPES_PER_DEPARTMENT]):
            products = sorted((catalogue.products[i] for i in catalogue.products_of(number)), key=_dearness)
            step = (len(products) - 1) / max(1, _PRODUCTS_PER_TYPE - 1)
            lines += [_row(products[round(i * step)]) for i in range(min(_PRODUCTS_PER_TYPE, len(products)))]
    return "\n".join(lines)


def _dearness(product: Product) -> tuple[float, str]:
    return (product.unit_price, product.id)


def _row(product: Product) -> str:
    price = f"{product.price_cents / 100:.2f}" + (f" (-{product.promotion} %)" if product.promotion else "")
    rating = "" if product.quality is None else f"{product.quality:.1f}"
    claims, allergens = (", ".join(sorted(names)) for names in (product.attributes, product.allergens))
    return f"| {product.product_type} | {product.name} | {price} | {rating} | {claims} | {allergens} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code (0, or 2 when the file has no sample marks)."""
    parser = argparse.ArgumentParser(prog="python -m supermarket_env.catalogue.samples", description=__doc__)
    parser.add_argument("--catalogue", default="embedded", help="name or path (default: embedded)")
    parser.add_argument("--seed", type=int, default=0, help="which types are shown (default: 0)")
    parser.add_argument("--write", type=Path, help="file whose sample part is replaced")
    options = parser.parse_args(arguments)
    try:
        text = samples_markdown(load_catalogue(options.catalogue), options.seed)
        if options.write is None:
            print(text)
        else:
            _replace(options.write, text)
    except CatalogueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _replace(path: Path, text: str) -> None:
    page = path.read_text(encoding="utf-8")
    head, begin, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise CatalogueError(f"{path}: expected the marks {BEGIN} and {END}")
    path.write_text(f"{head}{BEGIN}\n{text}\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
