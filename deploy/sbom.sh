#!/bin/sh
# Prints what the package depends on, as CycloneDX. `npm sbom --omit=dev` in the repository would leave out what a development
# dependency needs as well (koa, jose, yaml): it is asked in a folder that has none.
set -eu
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cp package.json package-lock.json "$folder"
cd "$folder"
npm pkg delete devDependencies optionalDependencies scripts
npm install --package-lock-only --ignore-scripts --no-audit --no-fund --silent >&2
npm sbom --package-lock-only --sbom-format=cyclonedx
