"""The scoreboard: every adapter over every recorded case, each failure with its finding.

    running   installs a system, runs `assay run --json` (or scripts/cluster/slurm), and stores versions beside the result
    results   reads results through `assay merge`, which refuses shards that are missing or do not belong together
    cases     asks `assay info --json` what a case is; PROPERTIES is the table of the predicates that become rows
    explain   the finding of a failure: a row of observatory/adapters/findings.tsv, or the recorded observation of the same case
    tally     counts by system, family and property
    markdown, page   observatory/SCOREBOARD.md and the HTML page
"""
