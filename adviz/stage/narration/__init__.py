"""What happens, in words: a sentence, a formula and a question for every Step."""
