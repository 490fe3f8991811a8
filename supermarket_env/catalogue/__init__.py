"""Products: schema, embedded and external sources, validation, text search."""

from supermarket_env.catalogue.load import CATALOGUE_NAMES, load_catalogue
from supermarket_env.catalogue.schema import (
    ALLERGENS,
    ATTRIBUTES,
    DIETS,
    UNITS,
    Catalogue,
    Columns,
    Product,
    ProductType,
    allergen_mask,
    allergen_names,
    attribute_mask,
    attribute_names,
)

__all__ = [
    "ALLERGENS",
    "ATTRIBUTES",
    "CATALOGUE_NAMES",
    "DIETS",
    "UNITS",
    "Catalogue",
    "Columns",
    "Product",
    "ProductType",
    "allergen_mask",
    "allergen_names",
    "attribute_mask",
    "attribute_names",
    "load_catalogue",
]
