/** The programs that the checks of deploy/ run. */
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

/** The folder that is checked. */
export const deployFolder = join(import.meta.dirname, '../../deploy')

/**
 * The path of a program of a Debian package.
 * @throws Error that names the package
 */
export function debianProgram(name: string, debianPackage: string): string {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin']
  const found = folders.map((folder) => join(folder, name)).find(isExecutable)
  if (found === undefined) throw new Error(`no ${name} here: apt-get install ${debianPackage}`)
  return found
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
