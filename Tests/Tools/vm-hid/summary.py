"""Adds up the results of `run` in the folder given; its exit status is that of `run`."""

import collections
import glob
import json
import os
import sys

folder = sys.argv[1]
results = [json.load(open(path, encoding="utf-8")) for path in sorted(glob.glob(f"{folder}/[0-9]*/result"))]
alone = set()
if os.path.exists(f"{folder}/alone/result"):
    alone = set(json.load(open(f"{folder}/alone/result", encoding="utf-8"))["failed"])

failed, disagreements, unwatched = (
    sorted(words for result in results for words in result[key]) for key in ("failed", "disagreements", "unwatched")
)
collected, passed, comparisons, fingers = (
    sum(result[key] for result in results) for key in ("collected", "passed", "comparisons", "fingers")
)
skipped = collections.Counter()
for result in results:
    skipped.update(result["skipped"])
ours = [test for test in failed if test not in alone]
lost = collected - passed - len(failed) - skipped.total()

for reason, count in sorted(skipped.items()):
    print(f"skipped by the tests themselves: {count}: {reason}")
for test in alone & set(failed):
    print(f"fails without the service, too: {test}")
for test in ours:
    print(f"failed: {test} (see {folder}/*/pytest.log)")
for test in unwatched:
    print(f"passed, but nothing was compared: {test}")
for words in disagreements:
    print(f"disagreement: {words}")
if lost:
    print(f"{lost} of {collected} tests have no result")
print(f"comparisons with fingers down: {fingers}")
print(f"hid: {passed} tests passed, {len(ours)} failed, {comparisons} comparisons, {len(disagreements)} disagreements")
good = passed > 0 and fingers > 0 and not (ours or disagreements or unwatched or lost)
sys.exit(0 if good else 1)
