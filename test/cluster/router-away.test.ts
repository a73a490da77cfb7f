/** Three gateways on one PostgreSQL while their router is away: loads, deletions and edits of realms go on, and all nodes serve them. Needs Debian's package. */
import { expect } from 'chai'
import { type KillableRouter, startKillableRouter } from '#test/support/peers/killable-router.ts'
import { type Postgres, startPostgres } from '#test/support/peers/postgres.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { askJson, Cluster, holdsWithin, postJson } from './cluster.ts'
import type { ClusterNode } from './cluster-node.ts'

const mostLoads = rounds(60, 1_000)
/** How long a busy machine may take until all nodes serve a load that was acknowledged; milliseconds. */
const generous = 60_000

const realm_uri = 'com.example.away'

const documentOf = (id: string, body: string) => ({
  ...{ id, host: '_', realm_uri },
  versions: {
    1: {
      base_path: `/${id}`,
      paths: { '/word': { get: { action: { type: 'static', body }, response: {} } } },
    },
  },
})

const ask = (node: ClusterNode, path: string, method = 'GET') =>
  fetch(node.adminUrl + path, { method, signal: AbortSignal.timeout(5000) })

/** What a node answers on the path of a document; undefined: it has none. */
async function wordOf(node: ClusterNode, id: string): Promise<string | undefined> {
  const answer = await fetch(`${node.url}/${id}/word`)
  const text = await answer.text()
  return answer.status === 200 ? JSON.parse(text) : undefined
}

describe('gateways on one PostgreSQL while the router is away', function () {
  this.timeout(rounds(300_000, 600_000))
  let router: KillableRouter
  let server: Postgres
  let cluster: Cluster
  const nodes = () => cluster.members.map(({ node }) => node)
  const nodeAt = (index: number) => nodes()[index % nodes().length] as ClusterNode

  before(async () => {
    router = await startKillableRouter()
    server = await startPostgres()
    const { url } = router
    // clocks that agree: that of the database judges them
    const clockOffsets = [0, 0, 0]
    cluster = await Cluster.start({
      routerUrl: url,
      storeUrl: await server.database(),
      clockOffsets,
    })
    const realm = await postJson(`${nodeAt(0).adminUrl}/realms`, {
      uri: realm_uri,
      authmethods: [],
    })
    expect(realm.status).to.equal(201)
    await router.kill()
    const isAway = async (node: ClusterNode) =>
      ((await askJson(`${node.adminUrl}/registry`)) as { router: string }).router === 'away'
    for (const node of nodes()) {
      expect(await holdsWithin(60_000, () => isAway(node))).to.equal(true)
    }
  })
  after(async () => {
    await cluster?.stop()
    await router?.stop()
    await server?.remove()
  })

  /** Until all nodes serve the word. */
  async function untilServed(id: string, word: string | undefined): Promise<void> {
    const isServed = async (): Promise<boolean> => {
      const words = await Promise.all(nodes().map((node) => wordOf(node, id)))
      return words.every((one) => one === word)
    }
    expect(await holdsWithin(generous, isServed), `${id}: ${word}`).to.equal(true)
  }

  it('take loads and deletions on any of them, which all serve', async () => {
    for (let loads = 0; loads < mostLoads; loads++) {
      const id = `away-${loads % 7}`
      const word = `word ${loads}`
      const { status, body } = await postJson(
        `${nodeAt(loads).adminUrl}/api_specs`,
        documentOf(id, word),
      )
      expect(status, JSON.stringify(body)).to.be.oneOf([200, 201])
      await untilServed(id, word)
      if (loads % 5 !== 4) continue
      expect((await ask(nodeAt(loads + 1), `/api_specs/${id}`, 'DELETE')).status).to.equal(204)
      await untilServed(id, undefined)
    }
  })

  it('take edits of realms, which the others have', async () => {
    const path = `/realms/${realm_uri}/users/ada`
    const set = await fetch(nodeAt(0).adminUrl + path, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ groups: ['staff'] }),
    })
    expect(set.status).to.equal(201)
    const isThere = async () => {
      const realm = await askJson(`${nodeAt(1).adminUrl}/realms/${realm_uri}`)
      return (realm as { users?: unknown[] }).users?.length === 1
    }
    expect(await holdsWithin(generous, isThere)).to.equal(true)
  })

  it('serve what is there on one that starts meanwhile, and take loads there', async () => {
    await postJson(`${nodeAt(0).adminUrl}/api_specs`, documentOf('kept', 'kept'))
    await nodeAt(2).end('SIGKILL')
    await nodeAt(2).start()
    expect(
      await holdsWithin(60_000, async () => (await ask(nodeAt(2), '/ready')).status === 200),
    ).to.equal(true)
    expect(await wordOf(nodeAt(2), 'kept')).to.equal('kept')
    const { status } = await postJson(`${nodeAt(2).adminUrl}/api_specs`, documentOf('new', 'new'))
    expect(status).to.equal(201)
    await untilServed('new', 'new')
  })

  it('hold the same, and take loads, when it is back', async () => {
    await router.restart()
    const isJoined = async (node: ClusterNode) => {
      const status = (await askJson(`${node.adminUrl}/registry`)) as {
        router: string
        nodes: { is_equal: boolean }[]
      }
      return (
        status.router === 'joined' && status.nodes.filter(({ is_equal }) => is_equal).length === 2
      )
    }
    for (const node of nodes()) {
      expect(await holdsWithin(60_000, () => isJoined(node)), node.name).to.equal(true)
    }
    expect(await cluster.isConverged()).to.equal(true)
    const load = () => postJson(`${nodeAt(1).adminUrl}/api_specs`, documentOf('back', 'back'))
    expect(await holdsWithin(60_000, async () => (await load()).status < 300)).to.equal(true)
    await untilServed('back', 'back')
  })
})
