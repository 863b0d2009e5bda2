"""How often the judge is wrong (docs/judging.md): replays of the bundled cases by sound engines, the distribution of their errors, and planted errors.

SPDX-License-Identifier: Apache-2.0
"""
