/**
 * A gateway from before JSON Schemas beside one of today: it never serves a document without the checks that the document asks for. A
 * long run, since it takes the earlier sources from the history, which a shallow clone lacks; the short form is test/unit/registry/envelopes.test.ts.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { isLong } from '#test/support/running/rounds.ts'
import { askJson, clusterKey, holdsWithin, postJson } from './cluster.ts'
import { ClusterNode } from './cluster-node.ts'
import { startRouterProcess } from './router-process.ts'

/** The last commit whose gateways know no `request`. */
const lastWithout = '80ab8564cd168689d966648a6c4ff93979c660be'
const root = join(import.meta.dirname, '../..')

const git = (...words: string[]) => execFileSync('git', ['-C', root, ...words], { stdio: 'pipe' })

/** A document with one path, and with or without a check of its query. */
const documentOf = (id: string, path: string, isChecked: boolean) => {
  const query_params = { properties: { page: { type: 'integer' } } }
  const get = {
    action: { type: 'static', body: path },
    response: {},
    ...(isChecked && { request: { query_params } }),
  }
  const versions = { 1: { base_path: `/${id}`, paths: { [path]: { get } } } }
  return { id, host: '_', realm_uri: 'service.gateway', versions }
}

interface Registry {
  readonly version?: string | null
  readonly digest: string
  readonly nodes: readonly { readonly node: string; readonly version: string | null }[]
  readonly conflicts: readonly {
    readonly id: string
    readonly reason: string
    readonly serves: number | null
  }[]
}

const registryOf = (node: ClusterNode) => askJson(`${node.adminUrl}/registry`) as Promise<Registry>

const statusOf = async (node: ClusterNode, target: string) => {
  const answer = await fetch(node.url + target)
  await answer.arrayBuffer()
  return answer.status
}

const inLongRuns = isLong ? describe : () => undefined

inLongRuns('a gateway from before JSON Schemas in a cluster', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-before-'))
  const sources = join(folder, 'sources')
  let router: Awaited<ReturnType<typeof startRouterProcess>>
  let today: ClusterNode
  let earlier: ClusterNode

  before(async () => {
    git('worktree', 'add', '--detach', sources, lastWithout)
    symlinkSync(join(root, 'node_modules'), join(sources, 'node_modules'))
    router = await startRouterProcess()
    const settings = { 'wamp.url': router.url, 'cluster.key': clusterKey }
    today = await ClusterNode.make({ name: 'today', settings })
    earlier = await ClusterNode.make({ name: 'earlier', settings })
    earlier.upgrade(sources)
    await today.start()
    await earlier.start()
    expect(
      await holdsWithin(20_000, async () => (await registryOf(today)).nodes.length === 1),
    ).to.equal(true)
  })
  after(async () => {
    await today?.discard()
    await earlier?.discard()
    await router?.stop()
    git('worktree', 'remove', '--force', sources)
    rmSync(folder, { recursive: true, force: true })
  })

  const load = async (node: ClusterNode, document: object) => {
    const { status, body } = await postJson(`${node.adminUrl}/api_specs`, document)
    expect(status).to.be.oneOf([200, 201])
    return (body as { warnings?: { message: string }[] }).warnings ?? []
  }
  const isEqual = async () =>
    (await registryOf(today)).digest === (await registryOf(earlier)).digest
  const converged = async () => expect(await holdsWithin(20_000, isEqual)).to.equal(true)

  it('is shown with no version, and the one of today with its own', async () => {
    const { version, nodes } = await registryOf(today)
    expect(version).to.match(/^\d+\.\d+\.\d+/)
    expect(nodes.map(({ node, version }) => [node, version])).to.deep.equal([['earlier', null]])
  })

  it('serves the version before a document that it cannot check, and says so', async () => {
    expect(await load(today, documentOf('a', '/plain', false))).to.deep.equal([])
    await converged()
    expect(await statusOf(earlier, '/a/plain')).to.equal(200)
    const [warning] = await load(today, documentOf('a', '/checked', true))
    expect(warning?.message).to.match(/^earlier cannot serve a document with request,/)
    await converged()
    expect(await statusOf(today, '/a/checked?page=x')).to.equal(400)
    expect(await statusOf(earlier, '/a/checked?page=x')).to.equal(404)
    expect(await statusOf(earlier, '/a/plain')).to.equal(200)
    const [conflict] = (await registryOf(earlier)).conflicts
    expect(conflict).to.deep.include({ id: 'a', reason: 'does_not_compile' })
    expect(conflict?.serves).to.be.a('number')
  })

  it('serves nothing of a new document that it cannot check', async () => {
    await load(today, documentOf('b', '/checked', true))
    await converged()
    expect(await statusOf(today, '/b/checked?page=1')).to.equal(200)
    expect(await statusOf(earlier, '/b/checked?page=1')).to.equal(404)
  })

  it('does so after a restart, too', async () => {
    await earlier.end('SIGTERM')
    await earlier.start()
    await converged()
    expect(await statusOf(earlier, '/a/checked')).to.equal(404)
    expect(await statusOf(earlier, '/b/checked')).to.equal(404)
    expect(await statusOf(earlier, '/a/plain')).to.equal(200)
  })

  it('serves both with their checks once it is upgraded', async () => {
    await earlier.end('SIGTERM')
    earlier.upgrade(undefined)
    await earlier.start()
    await converged()
    for (const path of ['/a/checked', '/b/checked']) {
      expect(await statusOf(earlier, `${path}?page=x`)).to.equal(400)
      expect(await statusOf(earlier, `${path}?page=1`)).to.equal(200)
    }
    expect((await registryOf(earlier)).conflicts).to.deep.equal([])
  })
})
