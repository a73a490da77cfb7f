/** Counts the entries of the functions of a checkout that is run in this process: a counter is put at the start of each as its file is loaded. */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'oxc-parser'
import { productFolders } from './source-tree.ts'

/** A function of the product. */
interface Place {
  /** The path from the root of the checkout. */
  readonly file: string
  readonly line: number
}

/** What has been entered, in order; the same object each time for one function. */
export type Entries = readonly Place[]

/** The name of the counter in sources; no product file has it. */
const counter = '__entered'

interface FunctionNode {
  readonly body: { readonly type: string; readonly start: number; readonly end: number } | null
}

/** The source with a call of the counter at the start of each function. @param numberOf a number for a position in the source */
function counted(name: string, source: string, numberOf: (at: number) => number): string {
  const inserts: { readonly at: number; readonly text: string }[] = []
  const insert = ({ body }: FunctionNode) => {
    if (body === null) return
    const { type, start, end } = body
    const call = `globalThis.${counter}(${numberOf(start)})`
    if (type === 'BlockStatement') inserts.push({ at: start + 1, text: `${call};` })
    else inserts.push({ at: start, text: `(${call}, ` }, { at: end, text: ')' })
  }
  new Visitor({
    FunctionDeclaration: insert,
    FunctionExpression: insert,
    ArrowFunctionExpression: insert,
  }).visit(parseSync(name, source).program)
  let text = source
  // the outer functions come first: at one position their texts stay outside
  const order = inserts.map(({ at }, index) => ({ at, index }))
  order.sort((a, b) => b.at - a.at || b.index - a.index)
  for (const { at, index } of order)
    text = text.slice(0, at) + inserts[index]?.text + text.slice(at)
  return text
}

/**
 * From now on, files of the product below `root` are loaded with counters.
 * @returns a function that gives what is entered while a task runs
 */
export function countEntries(root: string): (task: () => Promise<void>) => Promise<Entries> {
  const places: Place[] = []
  let entered: Place[] | undefined
  Object.assign(globalThis, {
    [counter]: (index: number) => {
      const place = places[index]
      if (place) entered?.push(place)
    },
  })
  const folders = productFolders.map((folder) => `${join(root, folder)}/`)
  registerHooks({
    load(url, context, nextLoad) {
      const path = url.startsWith('file:') ? fileURLToPath(url) : ''
      if (!path.endsWith('.ts') || !folders.some((folder) => path.startsWith(folder)))
        return nextLoad(url, context)
      const source = readFileSync(path, 'utf8')
      const file = relative(root, path)
      const numberOf = (at: number) =>
        places.push({ file, line: source.slice(0, at).split('\n').length }) - 1
      return {
        format: 'module-typescript',
        shortCircuit: true,
        source: counted(path, source, numberOf),
      }
    },
  })
  return async (task) => {
    const list: Place[] = []
    entered = list
    try {
      await task()
    } finally {
      entered = undefined
    }
    return list
  }
}

/** The room of a file: its folder. */
const roomOf = ({ file }: Place): string => dirname(file)

/** How many moves from a room to another there are. */
const movesOf = (entries: Entries): number =>
  entries.filter((place, index) => {
    const before = entries[index - 1]
    return before !== undefined && roomOf(before) !== roomOf(place)
  }).length

/** `N entries, N files, N rooms, N moves`. */
export function describeEntries(entries: Entries): string {
  const files = new Set(entries.map(({ file }) => file)).size
  const rooms = new Set(entries.map(roomOf)).size
  return `${entries.length} entries, ${files} files, ${rooms} rooms, ${movesOf(entries)} moves`
}

/** The rooms that are moved to most often, and how often. */
export function busiestRooms(entries: Entries, most: number): [room: string, moves: number][] {
  const moves = new Map<string, number>()
  entries.forEach((place, index) => {
    const before = entries[index - 1]
    const room = roomOf(place)
    if (before && roomOf(before) !== room) moves.set(room, (moves.get(room) ?? 0) + 1)
  })
  return [...moves].sort(([, a], [, b]) => b - a).slice(0, most)
}
