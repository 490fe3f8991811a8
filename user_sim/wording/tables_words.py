"""Choices shared by several tables: words that add colour and no content."""

from __future__ import annotations

from typing import Final

ADV: Final = "(really|just|simply|rather|truly|actually|mainly|certainly|definitely|mostly|honestly|basically|clearly|surely|obviously)"
"""Before a verb: "I really need"."""

VERY: Final = "(really|quite|truly|simply|certainly|clearly|definitely|honestly|rather|frankly|plainly|sadly|obviously|surely|alas)"
"""Before an adjective or after "is": "is really"."""

GOODBYE: Final = "(bye|goodbye|farewell|cheerio|ciao|adieu|so long|bye bye|toodle-oo|see you|take care|until next time)"

NAME: Final = (
    "(friend|mate|dear|helper|assistant|all|folks|pal|neighbour|chief|team|partner|buddy|guide|everybody|there|then|indeed|captain|companion)"
)
"""Who is spoken to; may follow thanks and goodbyes."""

FINE: Final = (
    "(splendid|brilliant|excellent|wonderful|great|good|lovely|fine|superb|solid|neat|quick|kind|clever|honest|useful|handy|decent"
    "|marvellous|terrific|fabulous|valuable|thoughtful|friendly|smart|perfect|sterling|smooth|sound|first-rate)"
)
POOR: Final = (
    "(poor|useless|hopeless|terrible|awful|bad|weak|dreadful|lousy|sorry|sad|pointless|tiresome|clumsy|feeble|dismal|shabby|miserable)"
)
