/** `status`: what people read of a gateway that has neighbours, upstreams and troubles. */
import { expect } from 'chai'
import { serveOnce } from './admin.setup.ts'
import { runCli } from './terminal.ts'

const registry = {
  ...{ node: 'one', version: '0.1.0', digest: 'a'.repeat(64), entries: 3, router: 'away' },
  ...{ store: 'read_only', clock: 'skewed', router_sessions: [{ is_joined: false }] },
  nodes: [
    { node: 'two', version: '0.1.0', heard_ms_ago: 120, is_equal: true },
    { node: 'three', version: '0.0.9', heard_ms_ago: 7, is_equal: false },
  ],
  upstreams: { count: 2, targets: { up: 3, unresolved: 0, draining: 0, out: 1, down: 0 } },
  conflicts: [
    { id: 'a', reason: 'routes_taken', other: 'b' },
    { id: 'c', reason: 'does_not_compile' },
  ],
  damaged: [{ kind: 'spec', id: 'd', ts: 1, node: 'one', reason: 'unreadable' }],
  refused_files: [{ file: 'e.json', issues: [] }],
}

const asked = (ready: readonly [status: number, body: string], told: unknown) =>
  serveOnce({ '/ready': ready, '/registry': [200, JSON.stringify(told)] }, (url) =>
    runCli(['status', '--admin', url]),
  )

describe('wamp-gateway status', () => {
  it('says each part of the node in a line, and each thing that is wrong', async () => {
    const { code, out } = await asked([200, 'ready\nthe router is away\n'], registry)
    expect(code).to.equal(0)
    expect(out).to.equal(`ready
  the router is away
node        one, version 0.1.0
documents   3, digest aaaaaaaa
router      away, 0 of 1 sessions
store       read_only
clock       skewed
other node  two, version 0.1.0, the same documents, last message 120 ms ago
other node  three, version 0.0.9, other documents, last message 7 ms ago
upstreams   2, targets: 3 up, 1 out
not served  a: routes_taken by b
not served  c: does_not_compile
damaged     spec d: unreadable
refused     e.json
`)
  })

  it('leaves out what an older gateway does not tell, and ends with 1 where it is not ready', async () => {
    const { nodes: _, upstreams: __, conflicts: ___, ...older } = registry
    const { code, out } = await asked([503, '{"message": "starting"}'], older)
    expect(code).to.equal(1)
    expect(out).to.match(/^not ready\n {2}starting\nnode {8}one/)
    expect(out).to.not.match(/other node|upstreams|not served|undefined/)
  })
})
