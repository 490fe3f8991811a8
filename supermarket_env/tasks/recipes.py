"""Recipes: sets of product types bought together, for trips with tied needs."""

from __future__ import annotations

from typing import Final

RECIPES: Final[dict[str, tuple[str, ...]]] = {
    "bolognese": (
        "long pasta",
        "minced meat",
        "tinned tomatoes",
        "onions",
        "garlic",
        "hard cheese",
        "carrots",
        "red wine",
    ),
    "pesto pasta": ("short pasta", "pesto", "mozzarella", "tomatoes", "hard cheese", "baby spinach", "olive oil"),
    "lasagne": (
        "lasagne sheets",
        "minced meat",
        "tomato puree",
        "grated & grilling cheese",
        "onions",
        "butter",
        "flour",
        "fresh milk",
    ),
    "risotto": (
        "risotto rice",
        "mushrooms",
        "white & rosé wine",
        "hard cheese",
        "onions",
        "stock cubes",
        "butter",
        "fresh herbs",
    ),
    "green curry": ("rice", "curry paste", "coconut milk", "chicken breast", "peppers", "stir-fry vegetables", "tofu"),
    "chilli": (
        "tinned beans",
        "minced meat",
        "meat alternatives",
        "tinned tomatoes",
        "sweetcorn",
        "peppers",
        "onions",
        "rice",
        "sour cream",
    ),
    "tacos": (
        "taco kits",
        "minced meat",
        "salsa & dips",
        "avocados",
        "grated & grilling cheese",
        "lettuce",
        "sour cream",
        "peppers",
    ),
    "burgers": (
        "burgers",
        "veggie burgers",
        "rolls",
        "lettuce",
        "tomatoes",
        "sliced cheese",
        "ketchup",
        "oven chips",
        "pickles",
    ),
    "pancakes": ("flour", "eggs", "fresh milk", "sugar", "butter", "jam", "bananas", "cream"),
    "apple cake": ("apples", "flour", "eggs", "butter", "sugar", "spices", "cream", "lemons"),
    "salmon supper": (
        "salmon",
        "potatoes",
        "lemons",
        "broccoli",
        "fresh herbs",
        "cream",
        "butter",
        "white & rosé wine",
    ),
    "soup": (
        "soup vegetables",
        "potatoes",
        "stock cubes",
        "lentils",
        "sausages",
        "baguettes",
        "fresh herbs",
        "carrots",
    ),
    "greek salad": ("feta", "cucumbers", "tomatoes", "olives", "onions", "olive oil", "peppers", "pitta bread"),
    "breakfast": (
        "rolls",
        "eggs",
        "butter",
        "jam",
        "sliced cheese",
        "cooked ham",
        "orange juice",
        "ground coffee",
        "honey",
    ),
    "porridge": ("porridge oats", "oat drink", "blueberries", "bananas", "honey", "nuts", "natural yoghurt"),
    "stir fry": (
        "noodles",
        "stir-fry vegetables",
        "asian sauces",
        "tofu",
        "chicken breast",
        "peppers",
        "garlic",
        "nuts",
    ),
    "film night": (
        "crisps",
        "tortilla chips",
        "salsa & dips",
        "cola",
        "pretzels & popcorn",
        "gummies",
        "frozen pizza",
        "ice cream",
    ),
    "barbecue": (
        "sausages",
        "beef steak",
        "baguettes",
        "salad mix",
        "ketchup",
        "mustard",
        "lager",
        "deli salads",
        "courgettes & aubergines",
    ),
}
"""Product types of the embedded catalogue by dish; other catalogues fall back on food departments."""

NOT_FOOD: Final = (
    "baby", "babies", "beauty", "clean", "drug", "household", "kitchen", "laundry", "medic", "paper", "personal",
    "pet", "pets", "beer", "wine", "alcohol", "flower", "garden", "missing", "other", "stationery",
)  # fmt: skip
"""Parts of department names that no recipe is made from."""


def is_food(department: str) -> bool:
    """Return whether a department may hold ingredients, judged by its name.

    >>> is_food("Dairy & Eggs"), is_food("Cleaning & Laundry")
    (True, False)
    """
    words = department.lower().replace("&", " ").replace(",", " ").split()
    return not any(word.startswith(part) for word in words for part in NOT_FOOD)
