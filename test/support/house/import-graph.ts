/** What the files and the rooms of a source tree import from each other, as graphs. */
import { circlesOf, type Graph, upward } from './circles.ts'
import type { SourceFile } from './source-tree.ts'

/** The files of the tree that a file imports, each once. */
export function importedFiles(
  tree: readonly SourceFile[],
  file: SourceFile,
  executedOnly = false,
): readonly string[] {
  const wanted = file.imports.filter((each) => !(executedOnly && each.typeOnly))
  const names = new Set(wanted.map((each) => each.file))
  return tree.filter(({ path }) => names.has(path)).map(({ path }) => path)
}

/** Which file imports which. */
export const filesGraph = (tree: readonly SourceFile[], executedOnly: boolean): Graph =>
  tree.flatMap((file) =>
    importedFiles(tree, file, executedOnly).map((to) => ({
      from: file.path,
      to,
      reason: `${file.path} → ${to}`,
    })),
  )

/**
 * The imports from a room to one above it. The order of rooms is the one that most imports follow. A folder is a room; where it
 * holds other folders, each of its own files is one, because the wiring of the rooms and the words for all of them stand there.
 */
export function arrowsUpward(tree: readonly SourceFile[]): readonly string[] {
  const graph = filesGraph(tree, false)
  const circles = circlesOf(graph)
  const rooms = new Map(
    tree.map(({ path, folder }) => {
      const isParent = tree.some((other) => other.folder.startsWith(`${folder}/`))
      const circle = circles.find((paths) => paths.includes(path))
      return [path, isParent ? (circle?.[0] ?? path) : folder]
    }),
  )
  return upward(
    graph
      .map((edge) => ({
        ...edge,
        from: rooms.get(edge.from) ?? '',
        to: rooms.get(edge.to) ?? '',
      }))
      .filter(({ from, to }) => from !== to),
  )
}
