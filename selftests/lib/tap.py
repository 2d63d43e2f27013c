# SPDX-License-Identifier: GPL-2.0-only
"""TAP of tests in Python."""

DETAILS_MAX = 10


class Tap:
    """Numbers the results."""
    cnt = failed = 0

    def report(self, right, what, details=()):
        self.cnt += 1
        self.failed += not right
        print(f"{'ok' if right else 'not ok'} {self.cnt} - {what}", flush=True)
        for detail in [] if right else list(details)[:DETAILS_MAX]:
            print(f"# {detail}", flush=True)
