"""What runs on `python -m memidx`?"""

from memidx.cli.app import run

if __name__ == "__main__":
    run()
