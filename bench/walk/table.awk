# Makes a table of what run.sh measured. Usage: awk -f table.awk corpus LINES

function sort(list, n,    i, j, v)
{
    for (i = 2; i <= n; i++) {
        v = list[i]
        for (j = i - 1; j >= 1 && list[j] > v; j--) list[j + 1] = list[j]
        list[j + 1] = v
    }
}

# "median (lowest..highest)" over the runs of a row; the median is left in `middle`.
function spread(table, row, format,    n, i, list)
{
    for (i = 1; i <= runs[row]; i++) list[++n] = table[row, i]
    sort(list, n)
    middle = list[int((n + 1) / 2)]
    if (list[1] == list[n]) return sprintf(format, middle)
    return sprintf(format " (" format ".." format ")", middle, list[1], list[n])
}

function is_infeasible(row, target,    n, i, list)
{
    n = split(infeasible[row], list, ",")
    for (i = 1; i <= n; i++) if (list[i] == target) return 1
    return 0
}

# What was not reached in every run, and what is known not to be.
function missed(row,    n, i, list, target, text)
{
    n = split(targets[row], list, " ")
    for (i = 1; i <= n; i++) {
        target = list[i]
        if (misses[row, target] == runs[row]) text = text " " target
        else if (misses[row, target]) text = text " " target " (" misses[row, target] " of " runs[row] ")"
        if (proofs[row, target] == runs[row]) text = text " " target " (shown infeasible)"
    }
    return text
}

/^#/ { next }

FNR == NR {
    rows[++count] = $1
    infeasible[$1] = $4
    weight[$1] = $5
    pex[$1] = $6
    walk[$1] = $7
    next
}

{
    row = $1; target = $3; seed = $4
    if (seed > runs[row]) runs[row] = seed
    covered[row, seed] += $5
    total[row] = seed == 1 ? total[row] + $6 : total[row]
    seconds[row, seed] += $9
    if (target == "branches") {
        hidden[row] = infeasible[row]
    } else {
        if (seed == 1) targets[row] = targets[row] " " target
        if (seed == 1 && is_infeasible(row, target)) hidden[row]++
        if (!is_infeasible(row, target)) misses[row, target] += !$5
        else if ($7 == "true") proofs[row, target]++
        if ($5 && is_infeasible(row, target)) { print row " " target " was reached, it is called infeasible"; failed = 1 }
    }
}

END {
    print "| program | covered | of feasible | in all | seconds | Pex | Concolic Walk | missed |"
    print "|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= count; i++) {
        row = rows[i]
        if (!runs[row]) continue
        feasible = total[row] - hidden[row]
        text = spread(covered, row, "%d")
        if (middle > feasible) { print row " covers what is called infeasible"; failed = 1 }
        if (weight[row] != "-") { sum += weight[row] * middle / total[row]; reach += weight[row] * middle / feasible; all += weight[row] }
        printf "| %s | %s | %d | %d | %s | %s | %s |%s |\n", row, text, feasible, total[row], \
            spread(seconds, row, "%.1f"), pex[row], walk[row], missed(row)
    }
    if (all) printf "| weighted by lines | %.1f %% | %.1f %% of what is feasible | | | 67.7 %% | | |\n", 100 * sum / all, 100 * reach / all
    exit failed
}
