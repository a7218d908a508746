"""Compares the tables of case E1 with coal's rows and with certified references.

python benches/e1_verify.py OUT_DIR PX_DIR

OUT_DIR: what `clearsweep run` wrote for the scene of `cargo xtask e1` (its `distances/`). PX_DIR: the work folder
of the peer harness, with `e1/out_coal_py.parquet`, `in/e1_200f.pxq` and `in/e1_200f.ref`. Prints one JSON object; exit
code 1 where a criterion fails:
- every row of coal with distance < 0.2 - 2e-6 is there, and |distance - coal| <= 1.2e-6 for all common rows;
- |distance - reference| <= 1e-12 for every certified reference within 0.2, the reference lies in the bracket (widened by
  the reference's own 1e-15), and none of them is missing;
- no row is uncertified. (Rows of ours with lower_m <= 0.2 < distance_m are legitimate.)
References: signed distances of every 31st candidate of the first 200 frames, NaN elsewhere.
Needs numpy, pandas and pyarrow.
"""
import glob
import json
import sys

import numpy as np
import pandas as pd

WITHIN = 0.2
COAL_SLACK = 2e-6   # coal's tolerance is 1e-6: rows that near to the threshold may be on either side
COAL_ERROR = 1.2e-6
OWN_ERROR = 1e-12
REFERENCE_ERROR = 1e-15
QUERY = np.dtype([("seq", "<u4"), ("a", "<u4"), ("b", "<u4"), ("pad", "<u4"), ("pa", "<f8", 7), ("pb", "<f8", 7)])
KEYS = ["frame", "body_a", "body_b"]


def own_rows(out):
    """Our rows; body numbers are the scene's indices (b000 is 0)."""
    columns = ["frame", "a_index", "b_index", "distance_m", "lower_m", "upper_m", "status"]
    files = sorted(glob.glob(f"{out}/distances/*.parquet"))
    if not files:
        sys.exit(f"{out}/distances: there is no table")
    rows = pd.concat([pd.read_parquet(f, columns=columns) for f in files], ignore_index=True)
    return rows.rename(columns={"a_index": "body_a", "b_index": "body_b"}).astype({k: "int64" for k in ("body_a", "body_b")})


def references(px):
    """The certified references with their keys: a new frame begins where the sequence number falls."""
    queries = np.fromfile(f"{px}/in/e1_200f.pxq", QUERY, offset=8)
    values = np.fromfile(f"{px}/in/e1_200f.ref", "<f8", offset=8)
    frames = np.concatenate([[0], np.cumsum(np.diff(queries["seq"].astype(np.int64)) < 0)])
    assert len(queries) == len(values) and frames[-1] == 199
    known = np.flatnonzero(~np.isnan(values))
    return pd.DataFrame({
        "frame": frames[known],
        "body_a": queries["a"][known].astype(np.int64),
        "body_b": queries["b"][known].astype(np.int64),
        "reference": values[known],
    })


def largest(values):
    return float(values.max()) if len(values) else None


def against_coal(own, coal):
    both = coal.merge(own, on=KEYS, how="outer", indicator=True)
    missing = both[(both._merge == "left_only") & (both.distance < WITHIN - COAL_SLACK)]
    extra = both[(both._merge == "right_only") & (both.distance_m < WITHIN - COAL_SLACK)]
    common = both[both._merge == "both"]
    error = (common.distance_m - common.distance).abs()
    overlap = common.distance_m < 0
    return {
        "coal_rows": len(coal), "coal_common": len(common), "coal_missing": len(missing), "coal_extra": len(extra),
        "coal_err_max_separated": largest(error[~overlap]), "coal_err_max_overlapping": largest(error[overlap]),
        "coal_err_over": int((~(error <= COAL_ERROR)).sum()),
        "coal_missing_examples": missing[KEYS + ["distance"]].head(5).values.tolist(),
        "coal_worst_examples": common.assign(e=error).nlargest(3, "e")[KEYS + ["distance", "distance_m"]].values.tolist(),
    }


def against_references(own, reference):
    both = reference.merge(own, on=KEYS, how="left")
    inside, found = both.reference < WITHIN, both.distance_m.notna()
    error = (both.distance_m - both.reference).abs()[inside & found]
    overlap = both.reference[inside & found] < 0
    outside = found & ~((both.lower_m - REFERENCE_ERROR <= both.reference) & (both.reference <= both.upper_m + REFERENCE_ERROR))
    return {
        "ref_rows": len(reference), "ref_checked_within": int(inside.sum()), "ref_missing": int((inside & ~found).sum()),
        "ref_extra": int((~inside & found & (both.lower_m > WITHIN)).sum()),
        "ref_wrong_sign": int((np.sign(both.distance_m) != np.sign(both.reference))[inside & found].sum()),
        "ref_outside_bracket": int(outside.sum()),
        "ref_err_max": largest(error), "ref_err_max_overlapping": largest(error[overlap]),
        "ref_err_max_separated": largest(error[~overlap]), "ref_err_over": int((~(error <= OWN_ERROR)).sum()),
    }


def main(out, px):
    own = own_rows(out)
    report = {
        "rows": len(own),
        "duplicates": int(own.duplicated(KEYS).sum()),
        "uncertified": int((own.status.astype(str) == "uncertified").sum()),
        "rows_out_of_threshold": int((own.lower_m > WITHIN).sum()),
        "widest_bracket": largest(own.upper_m - own.lower_m),
        "status": {str(k): int(v) for k, v in own.status.astype(str).value_counts().items()},
    }
    report |= against_coal(own, pd.read_parquet(f"{px}/e1/out_coal_py.parquet", columns=KEYS + ["distance"]))
    report |= against_references(own, references(px))
    zero = ["duplicates", "uncertified", "rows_out_of_threshold", "coal_missing", "coal_extra", "coal_err_over",
            "ref_missing", "ref_extra", "ref_wrong_sign", "ref_outside_bracket", "ref_err_over"]
    report["failed"] = [name for name in zero if report[name]]
    if not (report["coal_common"] and report["ref_checked_within"]):
        report["failed"].append("nothing was compared")
    print(json.dumps(report, indent=1))
    return 1 if report["failed"] else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2]))
