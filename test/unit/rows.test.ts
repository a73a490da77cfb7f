/** Holds features to their rows: the name of an action, of a type of security or of a policy stands in the folder of its row, and nowhere else. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { actionKinds } from '#component/action/kinds.ts'
import { securityKinds } from '#component/security/kinds.ts'
import { namesOutside, rowTables } from '#test/support/house/rows.ts'
import { productFolders, sourceTree } from '#test/support/house/source-tree.ts'

const root = dirname(dirname(import.meta.dirname))
const tree = sourceTree(root, productFolders)

/** What a line is told as, in a file of the product. */
const told = (table: string, path: string, text: string): readonly string[] => {
  const found = rowTables[table]
  if (!found) throw new TypeError(table)
  return namesOutside([{ path, text }], found)
}

describe('the product', () => {
  for (const [name, table] of Object.entries(rowTables)) {
    it(`names ${name} in the folders of their rows only`, () => {
      expect(table.names.length).to.be.greaterThan(4)
      expect(namesOutside(tree, table)).to.deep.equal([])
    })

    it(`has a use for each exception of ${name}`, () => {
      const unused = Object.keys(table.exceptions).filter((path) => {
        const { [path]: _, ...exceptions } = table.exceptions
        const files = tree.filter((file) => file.path.startsWith(path))
        return namesOutside(files, { ...table, exceptions }).length === 0
      })
      expect(unused).to.deep.equal([])
    })
  }
})

describe('docs/specification.md', () => {
  const page = readFileSync(join(root, 'docs/specification.md'), 'utf8')
  for (const { type } of actionKinds) {
    it(`has a paragraph of the action ${type}`, () => {
      expect(page).to.match(new RegExp(`^\\*\\*.*\\b${type}\\b.*\\*\\*`, 'm'))
    })
  }

  for (const { type } of securityKinds) {
    it(`has a row of the security ${type}`, () => {
      expect(page).to.match(new RegExp(`^\\| \`${type}\` \\|`, 'm'))
    })
  }
})

describe('a name outside the folder of its row', () => {
  const lines: readonly (readonly [table: string, path: string, text: string])[] = [
    ['actions', 'component/gateway/x.ts', "if (type === 'forward') return"],
    ['actions', 'component/gateway/x.ts', "  case 'wamp_publish':"],
    ['actions', 'component/compile/x.ts', '  wamp_call: [],'],
    ['actions', 'component/compile/x.ts', "type.startsWith('wamp_')"],
    ['actions', 'component/action/x.ts', 'const table = { forward: 1 }'],
    ['actions', 'component/config/x.ts', "plan.type !== 'wamp_subscribe'"],
    ['policies', 'component/gateway/x.ts', 'if (inherited.policies?.cache) return'],
    ['policies', 'component/openapi/x.ts', '  circuit_breaker: [],'],
    ['policies', 'component/policies/x.ts', "find('rate_limit')"],
    ['policies', 'component/wiring/x.ts', "plans['quota']"],
    ['policies', 'component/compile/x.ts', 'const { limits } = { idempotency: 1 }'],
    ['security', 'component/gateway/x.ts', "if (protection?.type !== 'oidc') return"],
    ['security', 'component/openapi/x.ts', "new Set(['oauth2', 'jwt'])"],
    ['security', 'component/realm/x.ts', "(protection.type) === 'basic'"],
    ['security', 'http/oauth/x.ts', "protection.type === 'jwt'"],
  ]
  for (const [table, path, text] of lines) {
    it(`is found: ${text} in ${path}`, () => {
      expect(told(table, path, text)).to.deep.equal([`${path}:1: ${text.trim()}`])
    })
  }

  it('is not looked for in comments, in imports, and in the folder of a row', () => {
    const comment = "// a text 'forward'"
    const line = "import { x } from './forward/kind.ts'"
    expect(told('actions', 'component/gateway/x.ts', `${comment}\n${line}`)).to.deep.equal([])
    expect(told('actions', 'component/action/forward/x.ts', "'forward'")).to.deep.equal([])
  })
})
