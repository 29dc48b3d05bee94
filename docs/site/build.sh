#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes build/site/html of the repository's pages and public headers. Fails if a
# link leads nowhere or a public member has no documentation.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
rm -rf build/site
mkdir -p build/site/pages

# The pages, and the files that they link to, where the links expect them.
git ls-files -z '*.md' ':!tests/rules' | while IFS= read -r -d '' page; do
  echo "$page"
  { grep -oE '\]\([^)#:` ]+' "$page" || true; } | while IFS= read -r link; do
    realpath -m --relative-to=. "$(dirname "$page")/${link#](}"
  done
done | sort -u | while IFS= read -r file; do
  if [ -f "$file" ]; then
    install -D -m 644 "$file" "build/site/pages/$file"
  fi
done

doxygen docs/site/Doxyfile
if [ -s build/site/undocumented.txt ]; then
  cat build/site/undocumented.txt
  exit 1
fi
mkdocs build --quiet --config-file docs/site/mkdocs.yml
echo "build/site/html/index.html"
