# The two-way test of mteval in base R, written apart from the program, to check a paper or the program itself.
#
#   Rscript two_way.R VALUES.tsv BASELINE [TAIL_SIZES.csv]
#
# VALUES.tsv has the columns system, run, unit and value: what each segment or document of a run contributes to its
# score (for a mean metric, the segment scores; docs/method.md says how other metrics are linearised). A comment line
# "# df_units 12.3" gives the degrees of freedom over documents of unequal size; rows whose unit is "score" give the score
# of a run, where it is not the mean of its values. TAIL_SIZES.csv is mteval/stats/tail_sizes.csv; without it, p below 5%
# is not corrected for few runs.
# Prints one line per system: difference, standard error, degrees of freedom, p as computed, p as printed, and p adjusted
# by Holm over all systems. The verdict's p is the larger one of this p and that of approximate randomization.

LEVEL <- 0.05
FAMILY_DF <- 2       # of a family's mean spread over runs
MOST_TABLED <- 30    # runs in the table of sizes

# Variance components of one system: of its mean over runs, and the interaction of runs and units in it
side <- function(values) {  # runs x units
  n <- nrow(values)
  l <- ncol(values)
  residuals <- values - rowMeans(values) - rep(colMeans(values), each = n) + mean(values)
  list(
    n = n,
    run = var(rowMeans(values)) / n,
    pair = sum(residuals^2) / ((n - 1) * (l - 1)) / (n * l)
  )
}

# Standard error and Satterthwaite's degrees of freedom, from components of both systems
law <- function(runs, pairs, df_runs, df_between, segments, df_units, n_units) {
  total <- max(sum(runs) + segments - sum(pairs), sum(runs), segments)
  # With few runs, only what is beyond a part of the output noise counts for the degrees of freedom
  beyond <- pmax(0, runs - pmin(0.25, 0.125 * df_between) * pairs)
  spread <- sum(beyond^2 / df_runs) + segments^2 / df_units + sum(pairs^2 / (df_between * df_units))
  most <- c(Inf, 1, 3, 4.5)[min(n_units, 5)]
  if (n_units > 4) most <- Inf
  list(error = sqrt(total), df = min(total^2 / spread, most))
}

p_of <- function(difference, the_law) 2 * pt(-abs(difference) / the_law$error, the_law$df)

# p below 5% as printed: the largest size of the test at p, over its ratio to the level at 5%
printed <- function(p, n_runs, table) {
  if (is.null(table) || p >= LEVEL) return(p)
  wanted <- rev(sort(pmin(n_runs, MOST_TABLED)))
  is_row <- (table$runs == wanted[1] & table$other_runs == wanted[2]) |
    (table$runs == wanted[2] & table$other_runs == wanted[1])
  sizes <- rev(log(as.numeric(table[is_row, -(1:2)])))
  levels <- rev(log(as.numeric(sub("^X", "", names(table)[-(1:2)]))))
  size <- function(x) exp(approx(levels, sizes, log(x), rule = 2)$y)
  max(p, size(max(p, 1e-300)) * LEVEL / size(LEVEL))
}

# Holm over p by the family's law; none below its own p, and none below that of a smaller one
holm_family <- function(own, by_family) {
  adjusted <- pmax(p.adjust(by_family, "holm"), own)
  rising <- order(by_family)
  adjusted[rising] <- cummax(adjusted[rising])
  adjusted
}

two_way <- function(data, baseline, df_units = NULL, table = NULL) {
  scores <- data[data$unit == "score", ]
  data <- data[data$unit != "score", ]
  matrices <- lapply(split(data, factor(data$system, unique(data$system))), function(rows) {
    unclass(xtabs(value ~ factor(run, unique(run)) + factor(unit, unique(unit)), rows))
  })
  sides <- lapply(matrices, side)
  # Mean standard deviation over the runs of all systems; a system with a small one borrows from the others
  mean_spread <- mean(sapply(sides, function(s) sqrt(s$run * s$n)))
  systems <- setdiff(names(matrices), baseline)
  n_units <- ncol(matrices[[baseline]])
  if (is.null(df_units)) df_units <- n_units - 1

  rows <- lapply(systems, function(system) {
    two <- sides[c(baseline, system)]
    gains <- colMeans(matrices[[system]]) - colMeans(matrices[[baseline]])
    difference <- mean(gains)
    if (nrow(scores) > 0) {
      difference <- mean(scores$value[scores$system == system]) - mean(scores$value[scores$system == baseline])
    }
    segments <- var(gains) / n_units
    n <- unname(sapply(two, `[[`, "n"))
    runs <- unname(sapply(two, `[[`, "run"))
    pairs <- unname(sapply(two, `[[`, "pair"))
    df <- n - 1
    alone <- law(runs, pairs, df, df, segments, df_units, n_units)
    p <- p_of(difference, alone)
    own <- printed(p, n, table)
    by_family <- own
    if (length(matrices) >= 3) {
      drawn <- (FAMILY_DF * mean_spread^2 / n + df * runs) / (FAMILY_DF + df)
      is_drawn <- drawn > runs
      df_drawn <- ifelse(is_drawn, sqrt(df * (df + 2)), df)
      by_family <- p_of(difference, law(pmax(drawn, runs), pairs, df_drawn, df, segments, df_units, n_units))
    }
    data.frame(system, difference, error = alone$error, df = alone$df, p, printed = own, by_family)
  })
  result <- do.call(rbind, rows)
  result$adjusted <- holm_family(result$printed, result$by_family)
  result
}

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) >= 2) {
  data <- read.delim(arguments[1], comment.char = "#", colClasses = c("character", "character", "character", "numeric"))
  noted <- grep("^# df_units ", readLines(arguments[1]), value = TRUE)
  df_units <- if (length(noted)) as.numeric(sub("# df_units ", "", noted[1])) else NULL
  table <- if (length(arguments) >= 3) read.csv(arguments[3]) else NULL
  write.table(format(two_way(data, arguments[2], df_units, table), digits = 15), quote = FALSE, sep = "\t",
              row.names = FALSE)
}
