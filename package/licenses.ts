/** The licenses of the packages whose code is in the bundle, which ask for being passed on with it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BundledPackage } from './bundle.ts'

/** The text of a package's license; its name (SPDX) where it brings no text. */
function licenseOf({ folder, license }: BundledPackage): string {
  const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)/i.test(name))
  return file === undefined ? license : readFileSync(join(folder, file), 'utf8').trim()
}

/** One text of all. */
export const licensesOf = (packages: readonly BundledPackage[]): string =>
  packages
    .map((each) => `${each.name} ${each.version}\n\n${licenseOf(each)}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`)
