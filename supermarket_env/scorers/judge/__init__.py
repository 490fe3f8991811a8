"""Seven dimensions of dialogue quality, judged by rules, a language model or people."""
