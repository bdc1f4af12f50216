"""Other schedulers' files as jobs: pure translation, texts in, values out. Knows timing and nothing else of Dayhand."""
