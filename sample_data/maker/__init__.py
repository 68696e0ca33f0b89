"""Makes the sample experiment: a small English-German grammar, a noisy decoder, and minimum error rate training."""
