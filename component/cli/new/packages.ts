/** The packages that the `package.json` of a new folder names. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { programRoot as root } from '#component/program-root.ts'

const manifest = () => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** The version that this project is tested with; `*` for a package that it does not know. */
export function versionOf(name: string): string {
  const { dependencies, devDependencies }: Record<string, Record<string, string> | undefined> =
    manifest()
  return dependencies?.[name] ?? devDependencies?.[name] ?? '*'
}

/**
 * The packages with the command for `folder`: a clone is linked; an installed package is named in its version, unless it is installed in a folder that
 * `folder` is in, where npm finds it. Where a package brought the Node that runs this, it is named, too: the machine's own may be too old.
 */
export function commandPackages(folder: string): Readonly<Record<string, string>> {
  if (existsSync(join(root, 'component/cli/main.ts')))
    return { 'wamp-gateway': `file:${relative(resolve(folder), root)}` }
  if (isFoundFrom(resolve(folder))) return {}
  const [, node] = /node_modules[\\/](node-\w+-\w+)[\\/]/.exec(process.execPath) ?? []
  return {
    'wamp-gateway': String(manifest().version),
    ...(node !== undefined && { [node]: process.versions.node }),
  }
}

/** Where the documentation is, from the folder: in its own packages where they have the command, else where this program is. */
export const docsFrom = (folder: string): string =>
  'wamp-gateway' in commandPackages(folder)
    ? 'node_modules/wamp-gateway/docs/README.md'
    : relative(resolve(folder), join(root, 'docs/README.md'))

function isFoundFrom(folder: string): boolean {
  if (existsSync(join(folder, 'node_modules/wamp-gateway'))) return true
  return folder !== dirname(folder) && isFoundFrom(dirname(folder))
}
