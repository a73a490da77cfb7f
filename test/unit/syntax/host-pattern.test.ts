/** test/cases/host-patterns.json: which hosts a pattern matches, which pattern comes first, and which are refused. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { HostTree } from '#component/routes/host-tree.ts'
import { parseHostPattern } from '#component/syntax/host-pattern.ts'

const table: {
  cases: { pattern: string; matches: string[]; misses: string[] }[]
  refused: { pattern: string; because: string }[]
} = JSON.parse(readFileSync(new URL('../../cases/host-patterns.json', import.meta.url), 'utf8'))

/** What serves the given paths only, under its own name. */
class Server {
  readonly name: string
  readonly paths: readonly string[]

  constructor(name: string, paths: readonly string[]) {
    this.name = name
    this.paths = paths
  }

  get isEmpty(): boolean {
    return this.paths.length === 0
  }

  fork(): Server {
    return new Server(this.name, this.paths)
  }

  find(path: string): string | undefined {
    return this.paths.includes(path) ? this.name : undefined
  }
}

/** A tree of hosts, each with the paths it serves. */
function treeOf(hosts: Readonly<Record<string, readonly string[]>>): HostTree<string, Server> {
  const tree = new HostTree<string, Server>()
  for (const [host, paths] of Object.entries(hosts)) {
    const pattern = parseHostPattern(host)
    if ('problem' in pattern) throw new TypeError(`${host}: ${pattern.problem}`)
    tree.place(pattern, () => new Server(host, paths))
  }
  return tree
}

describe('host patterns', () => {
  for (const { pattern, matches, misses } of table.cases) {
    const tree = treeOf({ [pattern]: ['/'] })
    for (const host of matches) {
      it(`${pattern} matches "${host}"`, () => {
        expect(tree.find(host, '/')).to.equal(pattern)
      })
    }
    for (const host of misses) {
      it(`${pattern} misses "${host}"`, () => {
        expect(tree.find(host, '/')).to.equal(undefined)
      })
    }
  }

  for (const { pattern, because } of table.refused) {
    it(`refuses ${JSON.stringify(pattern)}: ${because}`, () => {
      expect(parseHostPattern(pattern)).to.have.property('problem').that.includes(because)
    })
  }

  it('asks literal labels before one-label wildcards before _', () => {
    const ranked = ['a.b.c', ':_.b.c', 'a.:_.c', ':_.:_.c', 'a.b.:_', ':_.:_.:_', '_']
    for (let left = ranked.length; left > 0; left -= 1) {
      const hosts = ranked.slice(-left)
      for (const order of [hosts, hosts.toReversed()]) {
        const tree = treeOf(Object.fromEntries(order.map((host) => [host, ['/']])))
        expect(tree.find('a.b.c', '/')).to.equal(hosts[0])
      }
    }
  })

  it('asks the next host when a more specific one has no such path', () => {
    const tree = treeOf({ 'a.b': ['/1'], 'a.:_': ['/2'], ':_.b': ['/3'], _: ['/1', '/4'] })
    expect(['/1', '/2', '/3', '/4', '/5'].map((path) => tree.find('a.b', path))).to.deep.equal([
      'a.b',
      'a.:_',
      ':_.b',
      '_',
      undefined,
    ])
  })
})
