#!/usr/bin/env bash
# The steps of the nightly workflow: verify, keep, tell, peers. tests/report/test_nightly.py runs them on a repository made for it.
# CLAIMS is the outcome of 'make claims' (success or failure), RUN_URL the address of the run, DBENCH the command.
set -euo pipefail

dbench=${DBENCH:-.venv/bin/dbench}
day=${DAY:-$(date -u +%Y-%m-%d)}
branch=reports
state=build/nightly
kept=$state/branch
mkdir -p "$state"

# Retrain other runs every night, so that in time somebody has retrained all of the evidence; go on past a table that fails.
verify() {
  : > "$state/unverified"
  for table in fixtures/evidence/*/; do
    $dbench zoo verify --runs "$table" --number 10 --seed "${day//-/}" || basename "$table" >> "$state/unverified"
  done
}

# Check the branch that GitHub Pages publishes out into $kept, new where there is none.
checkout() (
  git worktree prune
  if git fetch --quiet origin "$branch"; then
    git worktree add --quiet --force --detach "$kept" FETCH_HEAD
  else
    git worktree add --quiet --force --detach "$kept"
    git -C "$kept" checkout --quiet --orphan "$branch"
    git -C "$kept" rm --quiet -r --force .
  fi
)

# Push what lies there, with a message.
publish() (
  git -C "$kept" add --all
  git -C "$kept" commit --quiet --allow-empty --message "$1"
  git -C "$kept" push --quiet origin "HEAD:refs/heads/$branch"
  git worktree remove --force "$kept"
)

# Add the report to the branch that GitHub Pages publishes, and say what changed since the last night when all was well.
keep() {
  : > "$state/changes"
  echo "no report was kept" > "$state/title" # unless it is, below
  [ -f reports/latest/report.json ] || return 0
  checkout
  mkdir -p "$kept/history"
  cp reports/latest/report.json "$kept/history/$day.json"
  cp reports/latest/badge-*.svg "$kept"
  find "$kept/history" -name "*.json" | sort | head -n -90 | xargs -r rm # older ones stay in the branch's past
  changed=""
  if [ -f "$kept/good" ]; then
    good=$kept/history/$(cat "$kept/good").json
    $dbench report diff "$good" "$kept/history/$day.json" > "$state/changes"
    changed=$(sed -n '1s/^Headings that changed: //p' "$state/changes")
  fi
  if [ "$CLAIMS" = success ]; then echo "$day" > "$kept/good"; fi
  $dbench report history "$kept/history" --page "$kept/index.html" --figures docs/figures > "$kept/history.txt"
  publish "Report of $day"
  printf %s "$changed" > "$state/title"
}

# Open one issue, or update the open one; close it when all is well.
tell() {
  title=""
  if [ -s "$state/title" ]; then title=$(cat "$state/title")
  elif [ "$CLAIMS" != success ]; then title="claims were not judged as expected"; fi
  if [ -s "$state/unverified" ]; then title="${title:+$title; }evidence did not verify: $(paste -sd, "$state/unverified")"; fi
  number=$(gh issue list --label nightly --state open --json number --jq '.[0].number // empty')
  if [ -z "$title" ]; then
    if [ -n "$number" ]; then gh issue close "$number" --comment "All is well again: $RUN_URL"; fi
    return 0
  fi
  { echo "$RUN_URL"; echo; cat "$state/changes"; } > "$state/body"
  title=$(printf 'Nightly: %s' "$title" | cut -c 1-250)
  if [ -n "$number" ]; then
    gh issue edit "$number" --title "$title" --body-file "$state/body"
  else
    gh label create nightly --force
    gh issue create --label nightly --title "$title" --body-file "$state/body"
  fi
}

# Add the pages and badges of 'make peers' to that branch.
peers() {
  checkout
  mkdir -p "$kept/peers"
  cp build/referee/badge-*.svg docs/peers*.md "$kept/peers"
  publish "Peers of $day"
}

"$1"
