/** The source files of a checkout: where each stands, how long it is, and what it imports. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** One import of a source file. */
type Import = {
  /** The specifier as it is written. */
  readonly name: string
  /** The file of the same checkout that it names, as a path from the root; undefined for a package. */
  readonly file: string | undefined
  /** Whether the statement is erased when the types are stripped. */
  readonly typeOnly: boolean
}

/** One source file. */
export type SourceFile = {
  /** The path from the root of the checkout. */
  readonly path: string
  readonly folder: string
  readonly text: string
  readonly lines: number
  readonly imports: readonly Import[]
}

/** The folders of the product. */
export const productFolders: readonly string[] = ['component', 'http', 'procedures']

const statement =
  /^(?:import|export)(?<type>\s+type)?\s+[\w\s$,*{}]+?\sfrom\s+'(?<from>[^']+)'|^import\s+'(?<bare>[^']+)'|\bimport\('(?<dynamic>[^']+)'\)/gm

function readImports(path: string, text: string): Import[] {
  return [...text.matchAll(statement)].map(({ groups }) => {
    const name = groups?.from ?? groups?.bare ?? groups?.dynamic ?? ''
    const file = name.startsWith('./')
      ? join(dirname(path), name)
      : name.startsWith('#')
        ? name.slice(1)
        : undefined
    return { name, file, typeOnly: groups?.type !== undefined }
  })
}

/** Reads the files with these extensions below `folders`; a folder that the checkout does not have holds none. */
export function sourceTree(
  root: string,
  folders: readonly string[],
  extensions: readonly string[] = ['.ts'],
): SourceFile[] {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => extensions.some((extension) => name.endsWith(extension)))
        .map((name) => join(folder, name)),
    )
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      return {
        path,
        text,
        folder: dirname(path),
        lines: text.split('\n').length - 1,
        imports: readImports(path, text),
      }
    })
}
