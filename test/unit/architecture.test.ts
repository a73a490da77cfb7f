/** Holds the product to the table of rooms, which room imports which, and the one room that each package enters through; and the tests to the limit of all. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { arrowsUpward } from '#test/support/house/import-graph.ts'
import { importsAgainst } from '#test/support/house/import-rules.ts'
import { roomOf, rooms } from '#test/support/house/rooms.ts'
import { productFolders, type SourceFile, sourceTree } from '#test/support/house/source-tree.ts'

const root = dirname(dirname(import.meta.dirname))
const sources = sourceTree(root, productFolders, ['.ts', '.mjs'])
const files = sources.filter(({ path }) => path.endsWith('.ts') && !path.endsWith('.d.ts'))

/** The imports of each file that its room does not allow, as `file: import`. */
const wrongImports = files.flatMap(({ path, folder, imports }) => {
  const rule = rooms[roomOf(folder)]
  if (!rule) return [`${path}: ${folder} is not in the table`]
  const names = imports.map(({ name }) => name)
  return importsAgainst(rule, names).map((name) => `${path}: ${name}`)
})

/** Whether a file opens with a comment of a sentence: what it is for. */
function isIntroduced({ text }: SourceFile): boolean {
  const [, comment = ''] = /^\/\*\*([\s\S]*?)\*\//.exec(text) ?? []
  return comment.replaceAll('*', '').trim().length > 20
}

describe('the source files', () => {
  it('import what the table of rooms allows', () => {
    expect(files.length).to.be.greaterThan(20)
    expect(wrongImports).to.deep.equal([])
  })

  it('import no room above their own', () => {
    expect(arrowsUpward(files)).to.deep.equal([])
  })

  it('say in their first sentence what they are for', () => {
    const without = sources.filter((file) => !isIntroduced(file))
    expect(without.map(({ path }) => path)).to.deep.equal([])
  })
})

describe('the test files', () => {
  it('set no limit that is not longer than that of .mocharc.json: beside other work, a start alone may take 30 seconds', () => {
    const { timeout } = JSON.parse(readFileSync(join(root, '.mocharc.json'), 'utf8'))
    const limits = sourceTree(root, ['test']).flatMap(({ path, text }) =>
      [...text.matchAll(/(?:this|\}\))\.timeout\((?:rounds\()?([\d_]+)/g)].map(
        ([limit, ms = '']) => ({
          ...{ place: `${path}: ${limit}`, ms: Number(ms.replaceAll('_', '')) },
        }),
      ),
    )
    expect(limits).to.not.deep.equal([])
    expect(limits.filter(({ ms }) => ms <= timeout).map(({ place }) => place)).to.deep.equal([])
  })
})

describe('docs/architecture.md', () => {
  it('has one line for each room', () => {
    const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
    const lines = page.matchAll(/^\| `((?:component|http|procedures)[a-z/*-]*)` \|/gm)
    const folders = new Set(files.map(({ folder }) => roomOf(folder)))
    expect([...lines].map(([, room]) => room).sort()).to.deep.equal([...folders].sort())
  })
})
