/** Copies dependencies, with all that they need, into the package that is published. */
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The manifest of an installed package, as far as it is read. */
interface Installed {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly scripts?: unknown
}

/**
 * Copies the packages from the `node_modules` of `root` to that of `out`. Optional dependencies, which are native code,
 * stay away, and so do install scripts.
 * @throws Error for a package that is not installed
 */
export function copyPackages(root: string, out: string, names: readonly string[]): void {
  const copied = new Set<string>()
  const copy = (name: string, from: string): void => {
    const folder = find(name, from, root)
    if (copied.has(folder)) return
    copied.add(folder)
    const target = join(out, folder.slice(root.length))
    // npm would compile a package that has a binding.gyp, though it has no script: `prebuilds` hold what is needed
    const isWanted = (path: string) =>
      !path.slice(folder.length).includes('node_modules') && basename(path) !== 'binding.gyp'
    cpSync(folder, target, { recursive: true, filter: isWanted })
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Installed
    const optional = manifest.optionalDependencies ?? {}
    const { scripts: _, optionalDependencies: __, ...kept } = manifest
    writeFileSync(join(target, 'package.json'), JSON.stringify(kept, null, 2))
    for (const each of Object.keys(manifest.dependencies ?? {}))
      if (!(each in optional)) copy(each, folder)
  }
  for (const name of names) copy(name, root)
}

/** The folder where Node finds the package from another's: the nearest `node_modules`, at most the root's. */
function find(name: string, from: string, root: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(candidate)) return candidate
    if (folder === root) throw new Error(`${name} is not installed`)
  }
}
