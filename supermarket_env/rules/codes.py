"""The closed inventories of the game as small integers, shared by the rules and everything that names them.

A code is the position of its name in a tuple; the numbers are part of the log's and the action space's contract and
never change within one environment version. Code 0 is always "nothing", so that an all-zero message is the silent one.
"""

from __future__ import annotations

from typing import Final

INVENTORY_VERSION: Final = 1

# --- dialogue acts -----------------------------------------------------------------------------------------------
ASSISTANT_ACTS: Final = (
    "chat",
    "greet",
    "ask",
    "recommend",
    "inform",
    "compare",
    "guide",
    "confirm",
    "acknowledge",
    "offer_checkout",
)
A_CHAT: Final = 0
A_GREET: Final = 1
A_ASK: Final = 2
A_RECOMMEND: Final = 3
A_INFORM: Final = 4
A_COMPARE: Final = 5
A_GUIDE: Final = 6
A_CONFIRM: Final = 7
A_ACKNOWLEDGE: Final = 8
A_OFFER_CHECKOUT: Final = 9

USER_ACTS: Final = (
    "chat",
    "disclose",
    "answer",
    "ask",
    "ask_where",
    "accept",
    "reject",
    "hesitate",
    "request_compare",
    "complain",
    "thank",
    "bye",
)
U_CHAT: Final = 0
U_DISCLOSE: Final = 1
U_ANSWER: Final = 2
U_ASK: Final = 3
U_ASK_WHERE: Final = 4
U_ACCEPT: Final = 5
U_REJECT: Final = 6
U_HESITATE: Final = 7
U_REQUEST_COMPARE: Final = 8
U_COMPLAIN: Final = 9
U_THANK: Final = 10
U_BYE: Final = 11

REASONS: Final = (
    "none",
    "price",
    "brand",
    "size",
    "attribute",
    "allergen",
    "not_what_i_meant",
    "have_it_already",
    "no_reason",
)
R_NONE: Final = 0
R_PRICE: Final = 1
R_BRAND: Final = 2
R_SIZE: Final = 3
R_ATTRIBUTE: Final = 4
R_ALLERGEN: Final = 5
R_NOT_MEANT: Final = 6
R_HAVE_IT: Final = 7
R_NO_REASON: Final = 8

CAUSES: Final = (
    "none",
    "out_of_stock",
    "not_found",
    "wrong_directions",
    "repetition",
    "irrelevant",
    "untrue",
    "too_many_questions",
    "pushy",
    "over_budget",
)
C_NONE: Final = 0
C_OUT_OF_STOCK: Final = 1
C_NOT_FOUND: Final = 2
C_WRONG_DIRECTIONS: Final = 3
C_REPETITION: Final = 4
C_IRRELEVANT: Final = 5
C_UNTRUE: Final = 6
C_TOO_MANY_QUESTIONS: Final = 7
C_PUSHY: Final = 8
C_OVER_BUDGET: Final = 9

EMOTIONS: Final = ("none", "pleased", "hesitant", "annoyed", "hurried", "confused")

# --- what can be asked about a need or a product --------------------------------------------------------------------
# Catalogue attribute number a (bit a of a product's attribute mask) is slot SLOT_ATTRIBUTE + a.
SLOTS: Final = (
    "none",
    "product_type",
    "department",
    "brand",
    "size",
    "quantity",
    "price_limit",
    "diet",
    "allergy",
    "anything",
    "price",
    "unit_price",
    "quality",
    "allergens",
    "stock",
    "place",
)
S_NONE: Final = 0
S_TYPE: Final = 1
S_DEPARTMENT: Final = 2
S_BRAND: Final = 3
S_SIZE: Final = 4
S_QUANTITY: Final = 5
S_PRICE_LIMIT: Final = 6
S_DIET: Final = 7
S_ALLERGY: Final = 8
S_ANYTHING: Final = 9
S_PRICE: Final = 10
S_UNIT_PRICE: Final = 11
S_QUALITY: Final = 12
S_ALLERGENS: Final = 13
S_STOCK: Final = 14
S_PLACE: Final = 15
SLOT_ATTRIBUTE: Final = 16
NO_PREFERENCE: Final = 0

SIZE_CLASSES: Final = ("none", "small", "regular", "large")

# --- physical actions (also the suggestible ones) and goals --------------------------------------------------------
ACTIONS: Final = ("none", "wait", "move", "look", "inspect", "add", "remove", "checkout", "leave")
ACT_NONE: Final = 0
ACT_WAIT: Final = 1
ACT_MOVE: Final = 2
ACT_LOOK: Final = 3
ACT_INSPECT: Final = 4
ACT_ADD: Final = 5
ACT_REMOVE: Final = 6
ACT_CHECKOUT: Final = 7
ACT_LEAVE: Final = 8
ACTION_PARAM: Final = ("", "", "node", "section", "product", "product", "product", "", "")
ACTION_HAS_ARG: Final = (0, 0, 1, 1, 1, 1, 1, 0, 0)
ACTION_HAS_QTY: Final = (0, 0, 0, 0, 0, 1, 1, 0, 0)

GOAL_KINDS: Final = ("none", "section", "product", "category", "landmark")
G_NONE: Final = 0
G_SECTION: Final = 1
G_PRODUCT: Final = 2
G_CATEGORY: Final = 3
G_LANDMARK: Final = 4

NODE_KINDS: Final = ("aisle", "cross_aisle", "perimeter", "entrance", "checkout", "exit")
N_CHECKOUT: Final = 4

# --- cart changes and ends -------------------------------------------------------------------------------------------
WHYS: Final = (
    "none",
    "recommended",
    "guided",
    "self_found",
    "planned",
    "impulse",
    "substitute",
    "over_budget",
    "abandoned",
)
W_NONE: Final = 0
W_RECOMMENDED: Final = 1
W_GUIDED: Final = 2
W_SELF_FOUND: Final = 3
W_PLANNED: Final = 4
W_IMPULSE: Final = 5
W_SUBSTITUTE: Final = 6
W_OVER_BUDGET: Final = 7
W_ABANDONED: Final = 8

ENDS: Final = (
    "running",
    "checkout",
    "patience_checkout",
    "left",
    "patience",
    "max_turns",
    "assistant_error",
    "infra_error",
)
E_RUNNING: Final = 0
E_CHECKOUT: Final = 1
E_PATIENCE_CHECKOUT: Final = 2
E_LEFT: Final = 3
E_PATIENCE: Final = 4
E_MAX_TURNS: Final = 5
E_ASSISTANT_ERROR: Final = 6
E_INFRA_ERROR: Final = 7

TRIPS: Final = ("quick", "fill_in", "stock_up", "recipe", "browse")

# --- sizes of the fixed rows ------------------------------------------------------------------------------------------
MAX_NEEDS: Final = 8
MAX_TYPES: Final = 3  # product types one (vague) need may be served by
MAX_WANTS: Final = 3  # attributes one need may wish for
MAX_ITEMS: Final = 10  # length of a ranked list
MAX_PRODUCTS: Final = 3  # product slots of a message or a response
MAX_FACTS: Final = 6  # facts (need, slot, value) one response may state
MAX_CART: Final = 32  # distinct products in a cart
MAX_SORTED: Final = 12  # products sorted at a time: noticed in one look, offered for one need
MAX_SHIFTED: Final = 64  # products whose stock changed by somebody else's doing in the trip
MAX_DUE: Final = 16  # stock changes planned for one trip
MAX_LIST_MEMORY: Final = 4  # fingerprints of earlier lists the user remembers
MAX_REJECTED: Final = 12  # products a listener remembers as turned down, per need
MAX_CANDIDATES: Final = 5  # products the numeric observation shows per heard need
MAX_MOVES: Final = 16  # moves of a node the numeric observation shows
