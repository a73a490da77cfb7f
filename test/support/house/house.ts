/** `npm run house -- [FOLDER]`: a checkout in numbers: rooms, lines, imports, circles, and the walks of a start, a load and a request through the rooms. */
import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { circlesOf } from './circles.ts'
import { busiestRooms, describeEntries } from './entries.ts'
import { arrowsUpward, filesGraph, importedFiles } from './import-graph.ts'
import { importsAgainst } from './import-rules.ts'
import { roomOf, rooms } from './rooms.ts'
import { productFolders, type SourceFile, sourceTree } from './source-tree.ts'
import { takeWalks } from './walks.ts'

const root = resolve(process.argv[2] ?? join(import.meta.dirname, '../../..'))
const product = sourceTree(root, productFolders)
if (product.length === 0) throw new Error(`No folder of the product is in ${root}`)
const tests = sourceTree(root, ['test'])
const walks = await takeWalks(root)
// it imports files of the product, which are counted only when the walks load them first
const { namesOutside, rowTables } = await import('./rows.ts')

const rows: string[] = [`| ${basename(root)} | |`, '|---|---|']
const print = (title: string, value: string | number, list: readonly string[] = []): void => {
  rows.push(`| ${title} | ${value} |`, ...list.map((line) => `|   ${line} | |`))
}

const perFolder = (files: readonly SourceFile[]): [folder: string, files: number][] =>
  Object.entries(Object.groupBy(files, (file) => file.folder))
    .map(([folder, held]): [string, number] => [folder, held?.length ?? 0])
    .sort(([, a], [, b]) => b - a)

/** Whether all files of a circle stand in one folder. */
const withinRoom = (circle: readonly string[]): boolean =>
  new Set(circle.map((path) => path.slice(0, path.lastIndexOf('/')))).size === 1

const lines = product.map((file) => file.lines).sort((a, b) => a - b)
const folders = perFolder(product)
const testFolders = perFolder(tests)
const against = product.flatMap((file) => {
  const rule = rooms[roomOf(file.folder)]
  const names = file.imports.map((each) => each.name)
  return rule ? importsAgainst(rule, names).map((name) => `${file.path} → ${name}`) : []
})
const newRooms = folders.map(([folder]) => folder).filter((folder) => !rooms[roomOf(folder)])
const lostRooms = Object.keys(rooms).filter(
  (folder) => !existsSync(join(root, folder.replace('/*', ''))),
)
const arrows = arrowsUpward(product)
const executed = circlesOf(filesGraph(product, true))
const inTypes = circlesOf(filesGraph(product, false)).filter(
  (circle) => !executed.some((other) => other.every((path) => circle.includes(path))),
)
const importers = product
  .map((file): [string, number] => [file.path, importedFiles(product, file).length])
  .sort(([, a], [, b]) => b - a)
const wide = importers.filter(([, count]) => count > 12)
const largest = product.toSorted((a, b) => b.lines - a.lines)[0]

const counted = (counts: readonly [string, number][]): string[] =>
  counts.map(([name, count]) => `${name}: ${count}`)
const joined = (circle: readonly string[]): string => circle.join(', ')

print(
  'Lines of product',
  lines.reduce((sum, each) => sum + each, 0),
)
print('Product files', product.length)
print('Lines a file: median', lines[Math.floor(lines.length / 2)] ?? 0)
print('Lines a file: largest', largest ? `${largest.lines} (${largest.path})` : 0)
print('Rooms (product folders)', folders.length)
print('Files a room, widest first', folders[0]?.[1] ?? 0, counted(folders))
print('Test files', tests.length)
print('Files a test folder, widest first', testFolders[0]?.[1] ?? 0, counted(testFolders))
print('Imports against the table of rooms', against.length, against)
if (newRooms.length > 0) print('Rooms that the table does not have', newRooms.length, newRooms)
if (lostRooms.length > 0) print('Rooms of the table that are not here', lostRooms.length, lostRooms)
print('Arrows upward (imports against the order of rooms)', arrows.length, arrows)
print('Circles of files', executed.length, executed.map(joined))
print(
  'Circles of types across rooms',
  inTypes.filter((circle) => !withinRoom(circle)).length,
  inTypes.filter((circle) => !withinRoom(circle)).map(joined),
)
print(
  'Circles of types within a room',
  inTypes.filter(withinRoom).length,
  inTypes.filter(withinRoom).map(joined),
)
for (const [name, table] of Object.entries(rowTables)) {
  const found = namesOutside(product, table)
  print(`Names of ${name} outside their rows`, found.length, found)
}
print('Product files that import more than 12 others', wide.length)
print('Widest importers', importers[0]?.[1] ?? 0, counted(importers.slice(0, 10)))
print('Moves between rooms of the three walks, and where they go most often', '')
for (const { name, entries } of walks) {
  print(name, describeEntries(entries), counted(busiestRooms(entries, 10)))
}
process.stdout.write(`${rows.join('\n')}\n`)
