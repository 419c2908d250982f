# Sums up what ctest wrote with --output-junit: which tests were skipped and why, grouped by the
# name before the first dot, and then "N passed, N failed, N skipped". A test that did not run for
# any reason but its own skip status has failed: ctest lists it as not run.
#   awk -f test_summary.awk results.xml...
function value(key) {
  return match($0, key "=\"[^\"]*\"") ? substr($0, RSTART + length(key) + 2,
                                               RLENGTH - length(key) - 3) : ""
}
function close_case() {
  if (status == "run") {
    ++passed
  } else if (status == "disabled" || message ~ /^SKIP_/) {
    ++skipped
    sub(/\..*/, "", name)
    ++count[name ": " (reason == "" ? "disabled" : reason)]
  } else {
    ++failed
  }
}
/<testcase / {
  name = value("name")
  status = value("status")
  message = reason = ""
}
/<skipped / { message = value("message") }
# The reason is what follows "SKIPPED: ", or else the last line of output that says anything.
status == "notrun" && !told && !/^[ \t]*<\/?(testcase|skipped)/ {
  line = $0
  gsub(/<\/?system-out>/, "", line)
  gsub(/^[ \t]+|[ \t]+$/, "", line)
  if (line != "") reason = line
  if (sub(/^SKIPPED: /, "", reason)) told = 1
}
/<\/testcase>/ {
  gsub(/&quot;/, "\"", reason)
  gsub(/&apos;/, "'", reason)
  gsub(/&lt;/, "<", reason)
  gsub(/&gt;/, ">", reason)
  gsub(/&amp;/, "\\&", reason)
  close_case()
  told = 0
}
END {
  for (what in count) printf "skipped: %d of %s\n", count[what], what
  printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
  exit failed > 0 || passed == 0
}
