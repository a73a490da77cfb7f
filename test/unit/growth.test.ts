/** What grows by requests: docs/operations.md has a row for each table of the store, and for each map that a process keeps. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { counted, growth } from '#test/cases/growth.ts'

const root = join(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

/** What `new` makes that takes more and more entries. */
const collections = '(Map|Set|LRUCache|RateLimiterMemory)'

/** A member of a class, one that a constructor sets, and a constant of a module; and lists that are members. */
const declarations = [
  `^  (?:readonly )?(#?\\w+)(?:: ([^=]+))? = new ${collections}\\b(.*)`,
  `^    this\\.(#?\\w+)() = new ${collections}\\b(.*)`,
  `^(?:export )?const (\\w+)(?:: ([^=]+))? = new ${collections}\\b(.*)`,
  '^  (?:readonly )?(#?\\w+)(?:: (.+))? = (\\[\\])$',
].map((source) => new RegExp(source))

/** Maps, sets and lists that begin empty, and may take entries later: their names. */
function collectionsIn(file: string): string[] {
  const names = new Set<string>()
  for (const line of read(file).split('\n')) {
    for (const declaration of declarations) {
      const [, name, type = '', kind = '', rest = ''] = declaration.exec(line) ?? []
      if (name === undefined) continue
      const isEmpty = !/^(Map|Set)$/.test(kind) || /^(<.*>)?\(\)/.test(rest)
      if (isEmpty && !type.startsWith('Readonly')) names.add(name)
    }
  }
  return [...names].sort()
}

/** The first cells of the tables under "What grows by requests", one list for each table. */
function documented(): readonly (readonly string[])[] {
  const [, section = ''] = read('docs/operations.md').split('\n## What grows by requests\n')
  const [tables = ''] = section.split('\n## ')
  const lists: string[][] = []
  for (const [index, line] of tables.split('\n').entries()) {
    const cell = /^\| (.*?) \|/.exec(line)?.[1]
    const isHead = tables.split('\n')[index + 1]?.startsWith('|---') ?? false
    if (cell !== undefined && isHead) lists.push([])
    else if (cell !== undefined) lists.at(-1)?.push(cell)
  }
  return lists
}

describe('docs/operations.md, "What grows by requests"', () => {
  const [ofStore = [], ofMemory = []] = documented()

  it('has each table of the store', () => {
    const made = read('component/store/migrations.ts').matchAll(/create table (\w+)/g)
    const tables = [...made].map(([, name]) => name)
    expect(tables.length).to.be.greaterThan(5)
    const told = ofStore.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name))
    expect(told.sort()).to.deep.equal([...new Set(tables)].sort())
  })

  const folders = ['component', 'http', 'procedures']
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }))
  /** The folder of each, its name, and how many files of the folder have it. */
  const found = new Map<string, number>()
  for (const file of files) {
    for (const name of collectionsIn(file)) {
      const key = `${dirname(file)} ${name}`
      found.set(key, (found.get(key) ?? 0) + 1)
    }
  }

  it('or test/cases/growth.ts tells of each map and list of a process what bounds it', () => {
    const told = new Map(
      Object.entries(growth).flatMap(([folder, names]) =>
        Object.entries(names).map(([name, bounds]) => [
          `${folder} ${name}`,
          [bounds].flat().length,
        ]),
      ),
    )
    const more = (those: ReadonlyMap<string, number>, than: ReadonlyMap<string, number>) =>
      [...those].filter(([key, count]) => count > (than.get(key) ?? 0)).map(([key]) => key)
    expect(more(found, told), 'not told').to.deep.equal([])
    expect(more(told, found), 'not there').to.deep.equal([])
  })

  it('tells of each row its bound, and who pays', () => {
    const [, section = ''] = read('docs/operations.md').split('\n## What grows by requests\n')
    const lines = section.split('\n## ')[0]?.split('\n') ?? []
    const cells = lines
      .filter((line) => line.startsWith('|'))
      .map((line) => line.split('|').slice(1, -1))
    const without = cells.filter((row) => row.length < 3 || row.some((cell) => cell.trim() === ''))
    expect(without).to.deep.equal([])
    expect(cells.length).to.be.above(ofStore.length + ofMemory.length)
  })

  it('has the rows that test/cases/growth.ts names, and no other ones', () => {
    const named = Object.values(growth).flatMap((names) => Object.values(names).flat())
    const rows = named.flatMap((bound) => (typeof bound === 'string' ? [] : [bound.row]))
    expect([...new Set([...rows, ...counted])].sort()).to.deep.equal([...ofMemory].sort())
  })
})
