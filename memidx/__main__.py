"""What runs on `python -m memidx`?"""

from memidx.cli.start import run

if __name__ == "__main__":
    run()
