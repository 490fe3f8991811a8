"""What stands around the message itself: openers, polite endings, words of hurry. Free of any content."""

from __future__ import annotations

from typing import Final

Pools = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]
"""One tuple for each tone: warm, plain, sharp, angry."""

_HELLO_WARM = (
    "Hello there! ", "Good morning! ", "Hi! ", "Hello! ", "Good day to you. ", "Hi there, ", "Hello, ", "Hey, hello! ",
    "Nice to meet you. ", "Hi, good to have you along. ", "A very good day! ", "Greetings! ",
)  # fmt: skip
_HELLO_PLAIN = (
    "Hello. ", "Hi, ", "Good day. ", "Hello, ", "Hey, ", "Hi there. ", "Morning. ", "Okay, hello. ", "Right, hello. ",
    "Hi. ", "So, hello. ", "Yes, hello. ",
)  # fmt: skip
HELLO: Final[Pools] = (_HELLO_WARM, _HELLO_PLAIN, ("Hi. ", "Hello. ", "Right. ", "Hey. ", "Yes, hi. "), ("Hi. ", "Right. "))

_NEUTRAL = (
    "Well, ", "So, ", "Okay, ", "Right, ", "Hm, ", "Now, ", "Ah, ", "Let's see, ", "Um, ", "Er, ", "Alright, ",
    "You know, ", "Listen, ", "Let me see. ", "Good, ", "Right then, ", "Now then. ", "Oh, ", "Erm, ", "Just a moment. ",
    "Okay then, ", "As it happens, ", "Basically, ", "Actually, ", "One moment. ", "Look, ", "Hang on. ", "Fine, ",
    "Well now, ", "There we are. ", "Here goes: ", "For the record, ", "Let me think. ", "Mm, ", "Frankly, ",
    "To be clear, ", "In short, ", "As for me, ", "If you ask me, ", "Between us, ",
)  # fmt: skip
_FRIENDLY = (
    "Lovely, ", "Oh good, ", "Wonderful, ", "Splendid. ", "My friend, ", "Super, ", "Dear me, ", "Happy to say, ",
    "Ah, nice. ", "So kind. ", "Brilliant, ", "Good stuff. ",
)  # fmt: skip
_SHORT = ("Look, ", "Listen, ", "Right. ", "Well. ", "Okay. ", "Now. ", "Come on. ", "Hm. ", "So. ", "Please. ")
_LOUD = (
    "Oh, come on! ", "For heaven's sake, ", "Seriously? ", "Honestly! ", "Good grief. ", "Enough. ", "Look here, ",
    "Unbelievable. ", "Right, that does it. ", "Goodness. ", "Listen! ", "Oh, really. ",
)  # fmt: skip

NEUTRAL: Final[Pools] = (_NEUTRAL + _FRIENDLY, _NEUTRAL, _SHORT, _LOUD)

CURIOUS: Final[Pools] = (
    (
        "Tell me, ", "By the way, ", "One question: ", "If I may ask, ", "May I ask: ", "Quick question. ", "Ah, ",
        "Just wondering: ", "Excuse me, ", "A question for you. ", "Say, ", "Out of interest, ", "I am curious: ",
        "Perhaps you know: ", "Before I decide, ", "Help me a little: ", "Sorry to ask, ", "You would know this: ",
        "Could you tell me: ", "Let me ask you something. ", "Small thing: ", "My dear, ", "Oh, and ", "Lovely, but ",
    ),
    (
        "Tell me, ", "By the way, ", "One question: ", "Quick question. ", "Just wondering: ", "Excuse me, ", "Say, ",
        "Hm, ", "Wait, ", "And ", "So ", "Okay, ", "Before I decide, ", "Let me ask: ", "Out of interest, ", "Um, ",
        "Right, ", "Now, ", "One thing: ", "Hang on, ", "Do you know: ", "Sorry, ", "Well, ", "But ", "Just to check: ",
    ),
    ("Well, ", "Look, ", "So: ", "Simple question: ", "Now, ", "Come on, ", "Hello? ", "And? ", "Tell me: "),
    ("For heaven's sake, ", "Seriously, ", "Oh, come on: ", "Good grief, ", "Just answer: ", "Hello?! "),
)  # fmt: skip

GLAD: Final[Pools] = (
    (
        "Oh, ", "Lovely, ", "Great, ", "Perfect, ", "Wonderful! ", "Ah, yes, ", "Super, ", "Marvellous. ", "Nice! ",
        "Excellent, ", "Good choice. ", "Brilliant! ", "Splendid, ", "That is it! ", "Well found. ", "Spot on. ",
        "Beautiful. ", "You read my mind. ", "Fantastic, ", "Delightful. ", "Bingo! ", "Oh yes, ", "Very nice. ",
        "Bravo! ", "Sweet, ", "Cracking. ",
    ),
    (
        "Yes, ", "Okay, ", "Good, ", "Fine, ", "Alright, ", "Right, ", "Sure, ", "Great, ", "Very well, ", "All right, ",
        "Good. ", "Well, ", "Fair enough, ", "Yes. ", "Hm, yes, ", "Sounds fine. ", "That works. ", "So, ", "Perfect. ",
        "Yep, ", "Makes sense. ", "No complaints. ", "Deal. ", "Agreed, ", "Settled. ", "Why not, ", "Indeed, ",
    ),
    ("Fine. ", "Finally. ", "Okay. ", "Yes. ", "At last. ", "Well. ", "Good. ", "Alright. ", "Whatever, ", "Sure. "),
    ("Finally! ", "About time. ", "At long last. ", "Fine! ", "Oh well. ", "Yes, yes. "),
)  # fmt: skip

SORRY: Final[Pools] = (
    (
        "Sorry, ", "Ah, sorry, ", "Oh dear, ", "Thanks, but ", "That is kind, but ", "Hm, ", "I'm afraid ", "Well, ",
        "Nice idea, but ", "Pity, ", "Forgive me, ", "Kind of you, but ", "Alas, ", "Bless you, but ", "Good try, but ",
        "A shame, but ", "I appreciate it, but ", "Ah, ", "Unfortunately ", "With respect, ", "Ooh, ", "Close, but ",
    ),
    (
        "Hm, ", "Sorry, ", "Well, ", "Thanks, but ", "I'm afraid ", "Um, ", "Unfortunately ", "Ah, ", "Right, but ",
        "Okay, but ", "To be honest, ", "Honestly, ", "Let me think. ", "Wait, ", "Er, ", "Mm, ", "Frankly, ", "Oh, ",
        "Looking at it, ", "Now, ", "On reflection, ", "Hang on, ", "Actually, ", "Truth be told, ", "Nah, ", "Erm, ",
    ),
    ("Look, ", "Really? ", "Come on. ", "Well, ", "Honestly, ", "Listen, ", "Seriously, ", "Stop. ", "Ugh, "),
    ("For heaven's sake, ", "Seriously? ", "Oh, come on! ", "Good grief, ", "Enough! ", "Are you kidding? ", "Argh. "),
)  # fmt: skip

STATEMENT: Final[Pools] = (
    (
        ".", "!", ", please.", ", if you can.", ", if that's possible.", ", please and thank you.", ", if you'd be so kind.",
        ". Many thanks.", ". That would be great.", ". That'd be lovely.", ", if it's no trouble.", ". Whenever you like.",
        ". I'd be grateful.", ". You're a dear.", ", when you have a second.", ". Much obliged.", ". Take your time.",
        ". Would be wonderful.", ". Over to you.", ". Your turn.", ". Can you help me there?", ". What do you say?",
    ),
    (
        ".", ", please.", ".", ", if possible.", ", thanks.", ". Could you help?", ". Please.", ". Any ideas?",
        ", if you can.", ". What do you think?", ". What have you got?", ". Over to you.", ". Let me know.",
        ". So, what now?", ". Help me out.", ". Can you help?", ". Okay?", ". Right?", ". What do you suggest?",
        ". Go ahead.", ". What is there?", ". Show me.", ". Ideas?",
    ),
    (".", ".", ". Please.", ". Well?", ". Okay?", ". And?", ". Go on.", ". Got it?"),
    ("!", ".", ". Clear?", ". Is that so hard?", ". Got it?", ". How hard can it be?", ". Well?"),
)  # fmt: skip

FINAL: Final[Pools] = (
    (
        ".", "!", ".", ". Really.", ". Promise.", ". Lovely.", ". Very nice.", ". Happy with that.", ". Good.", ". There.",
        ". Nice one.", ". Simple as that.", ". Great.", ". Wonderful.", ". So good.", ". Easy.", ". Honest.", ". Bless.",
    ),
    (
        ".", ".", ".", ". There.", ". Fine by me.", ". Really.", ". Simple as that.", ". I mean it.", ". Okay.", ". Right.",
        ". So there we are.", ". Honestly.", ". That's how it is.", ". Just so you know.", ". Truly.",
        ". Nothing more to it.", ". Hm.", ". Anyway.", ". Well.",
    ),
    (".", ".", ". Okay?", ". Clear?", ". Right?", ". Period.", ". Understood?"),
    ("!", ".", ". Full stop.", ". Clear?", ". Got that?", ". Period!"),
)  # fmt: skip

QUESTION: Final[Pools] = (
    (
        "?", "?", ", please?", ", if you know?", ", do you think?", ", if I may ask?", ", would you say?", ", my friend?",
        "? Thank you.", "? I'd love to know.", ", by any chance?", "? Just curious.", "? Take your time.", ", roughly?",
        "? That would help me.", "? I'm curious.", "? Be so kind.",
    ),
    (
        "?", "?", "?", ", please?", ", do you know?", ", by any chance?", "? Thanks.", "? Just asking.", ", actually?",
        "? I'd like to know.", ", then?", "? Can you tell me?", "? Any idea?", "? I can't tell.", "? Do you know?",
        "? Let me know.", "? Hm.",
    ),
    ("?", "?", "? Well?", ", then?", "? Quickly.", "? Just say it.", "? Simple question."),
    ("?!", "?", "? Is that so hard?", "? Just tell me!", "? Once and for all!", "? Well?!"),
)  # fmt: skip

HURRY: Final = (
    " I'm in a hurry.", " Quickly, please.", " I'm short of time.", " I don't have long.", " Time is short.",
    " Make it quick.", " I'm rather rushed.", " Be quick, please.", " I have little time.", " I must hurry.",
    " Fast as you can.", " No time to lose.",
)  # fmt: skip
