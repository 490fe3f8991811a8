"""Choices shared by several tables: words that add colour and no content."""

from __future__ import annotations

from typing import Final

ADV: Final = (
    "(really|just|simply|truly|actually|certainly|definitely|honestly|basically|clearly|genuinely|obviously|frankly"
    "|seriously)"
)
"""Before a verb or an adjective: "I really need", "is really fine"."""

ADV_ASK: Final = (
    "(actually|really|currently|normally|usually|typically|generally|honestly|nowadays|mainly|truly|mostly|now"
    "|commonly)"
)
"""Inside a question: "where do you usually keep"."""

VERY: Final = (
    "(really|truly|simply|certainly|clearly|definitely|honestly|frankly|plainly|sadly|obviously|surely|seriously"
    "|actually|just)"
)
"""Around a complaint or a refusal: "is sadly"."""

GOODBYE: Final = "(bye|goodbye|farewell|cheerio|ciao|adieu|so long|see you|take care|tata|bye bye)"

NAME: Final = (
    "(friend|mate|dear|helper|assistant|folks|pal|neighbour|chief|team|partner|buddy|guide|captain|companion|adviser"
    "|colleague"
    "|comrade|expert|fellow)"
)
"""Who is spoken to, after a comma."""

FINE: Final = (
    "(splendid|brilliant|excellent|wonderful|great|good|lovely|fine|superb|solid|neat|kind|clever|useful|handy"
    "|decent|marvellous"
    "|terrific|fabulous|valuable|thoughtful|friendly|smart|perfect|sterling|smooth|sound|first-rate|sensible)"
)
NICE: Final = (
    "(splendid|brilliant|excellent|wonderful|great|good|lovely|fine|superb|nice|pleasant|marvellous|terrific"
    "|fabulous|peaceful|happy"
    "|cheerful|sunny|quiet|relaxed|cosy|delightful|beautiful|jolly|calm|merry|restful)"
)
POOR: Final = (
    "(poor|useless|hopeless|terrible|awful|bad|weak|dreadful|lousy|sorry|sad|pointless|tiresome|clumsy|feeble|dismal"
    "|shabby|miserable)"
)
