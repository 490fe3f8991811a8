"""The rule book of the game: pure scalar functions, run plain or compiled with the same bits."""
