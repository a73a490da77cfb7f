/** The files of swagger-ui-dist, an optional package: read when a docs page first needs them. */
import { readFile } from 'node:fs/promises'

/** Whether the package is installed. */
export const hasDocsPage = (): boolean => folderOf() !== undefined

function folderOf(): string | undefined {
  try {
    return import.meta.resolve('swagger-ui-dist/package.json')
  } catch {
    return undefined
  }
}

/** Reads each file once. */
export function openDocsFiles(): (name: string) => Promise<Uint8Array | undefined> {
  const files = new Map<string, Promise<Uint8Array | undefined>>()
  const read = async (name: string): Promise<Uint8Array | undefined> => {
    const folder = folderOf()
    return folder === undefined ? undefined : await readFile(new URL(name, folder))
  }
  return (name) => {
    const known = files.get(name) ?? read(name)
    files.set(name, known)
    return known
  }
}
