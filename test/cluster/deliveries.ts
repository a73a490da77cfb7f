/** Two gateways whose deliveries go to one endpoint: kill -9, freezes, a router that goes. */
import { expect } from 'chai'
import {
  deliveryTo,
  documentOf,
  documentOfEndpoints,
  openPublisher,
  openReceiver,
  type Publisher,
  type Receiver,
  realm,
} from '#test/integration/deliveries/deliveries.setup.ts'
import { type KillableRouter, startKillableRouter } from '#test/support/peers/killable-router.ts'
import { type Postgres, startPostgres } from '#test/support/peers/postgres.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { askJson, Cluster, holdsWithin, postJson } from './cluster.ts'
import type { ClusterNode } from './cluster-node.ts'

const kills = rounds(1, 5)

const sum = (total: number, one: number): number => total + one

/** How long a busy machine may take for a takeover, and for what waits for the leases of rows; milliseconds. */
const generous = 60_000

/** How long the owner is frozen at least: longer than leases, in the long run a minute; milliseconds. */
const frozenMs = rounds(0, 60_000)

const topic = 'com.example.order.new'

const user = { username: 'ada', password: 'pass:word', groups: ['ada', 'resource_owners'] }

/** Everybody may do all of it. */
const realmOf = {
  ...{ uri: realm, authmethods: ['anonymous', 'password', 'oauth2', 'basic'], users: [user] },
  grants: ['wamp.subscribe', 'wamp.publish'].map((permissions) => ({
    ...{ roles: 'all', permissions, uri: 'com.example.', match: 'prefix' },
  })),
}

/** A document whose delivery goes to the endpoints that users add. */
const ofUsers = documentOfEndpoints({
  ...{ topic, to: { endpoints: { per_user: 1 } }, concurrency: 16 },
  body: { type: '{{action.event.topic}}', data: '{{action.event.kwargs}}' },
})

interface Registered {
  readonly deliveries: readonly { readonly is_owner: boolean }[]
}

const placeOf = { postgres: 'one PostgreSQL', sqlite: 'SQLite files of their own' } as const

/**
 * Suites of what holds.
 * @param stores what the gateways have: one PostgreSQL, which needs Debian's package, or SQLite files of their own
 * @param isOfUsers whether the endpoint is that of a user, in place of that of the document
 */
export function describeDeliveries(stores: keyof typeof placeOf, isOfUsers: boolean): void {
  const toWhom = isOfUsers ? ', to the endpoint of a user' : ''
  describe(`the deliveries of two gateways on ${placeOf[stores]}${toWhom}`, function () {
    const isShared = stores === 'postgres'
    this.timeout(rounds(300_000, 1_200_000))
    let router: KillableRouter
    let server: Postgres | undefined
    let cluster: Cluster
    let receiver: Receiver
    let publisher: Publisher
    let published = 0
    /** The first event of the test: what one test misses, the next ones do not miss, too. */
    let first = 0

    const nodes = () => cluster.members.map(({ node }) => node)
    const isOwner = async ({ adminUrl }: ClusterNode): Promise<boolean> => {
      const { deliveries } = (await askJson(`${adminUrl}/registry`)) as Registered
      return deliveries.some(({ is_owner }) => is_owner)
    }
    const accepted = async ({ adminUrl }: ClusterNode): Promise<number> => {
      const answer = await fetch(`${adminUrl}/metrics`)
      const line = /^gateway_delivery_accepted_total\{.*\} (\d+)$/m.exec(await answer.text())
      return Number(line?.[1] ?? 0)
    }
    /** The node that accepts and sends: of stores of their own each sends what it has accepted. */
    async function ownerNow(): Promise<ClusterNode> {
      let owner: ClusterNode | undefined
      const found = await holdsWithin(generous, async () => {
        for (const node of nodes().filter(({ isRunning }) => isRunning)) {
          const before = await accepted(node).catch(() => 0)
          if (!(await isOwner(node).catch(() => false))) continue
          await publish(1)
          await new Promise((resolve) => setTimeout(resolve, 300))
          if ((await accepted(node).catch(() => 0)) > before) owner = node
        }
        return owner !== undefined
      })
      expect(found, 'a node accepts').to.equal(true)
      return owner as ClusterNode
    }
    async function publish(count: number): Promise<void> {
      for (let index = 0; index < count; index += 1) {
        await publisher.publish(topic, { id: published })
        published += 1
      }
    }
    const missing = (): number[] => {
      const come = new Set(receiver.received.map(({ body }) => (body.data as { id: number }).id))
      const ids = Array.from({ length: published - first }, (_, index) => first + index)
      return ids.filter((id) => !come.has(id))
    }
    async function allHaveCome(): Promise<void> {
      await holdsWithin(generous, async () => missing().length === 0)
      expect(missing()).to.deep.equal([])
      expect([...receiver.doubled]).to.deep.equal([])
    }

    async function addEndpoint({ url }: ClusterNode): Promise<void> {
      const { username, password } = user
      const answer = await fetch(`${url}/me/endpoints`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ url: `${receiver.origin}/hooks` }),
      })
      expect(await answer.json()).to.have.nested.property('endpoint.state', 'active')
    }

    before(async () => {
      router = await startKillableRouter()
      server = isShared ? await startPostgres() : undefined
      receiver = await openReceiver()
      const storeUrl = await server?.database()
      cluster = await Cluster.start({
        routerUrl: router.url,
        ...(storeUrl !== undefined && { storeUrl }),
        clockOffsets: [-3_000, 3_000],
        settings: { 'deliveries.endpoint_hosts': '["127.0.0.1"]' },
      })
      const [first] = nodes() as [ClusterNode]
      const plain = { uri: realm, authmethods: ['anonymous'] }
      const made = await postJson(`${first.adminUrl}/realms`, isOfUsers ? realmOf : plain)
      expect(made.status).to.equal(201)
      const delivery = deliveryTo(receiver, { concurrency: 16 })
      const loaded = await postJson(
        `${first.adminUrl}/services/load_api_spec`,
        isOfUsers ? ofUsers : documentOf({ orders: delivery }),
      )
      expect(loaded.status, JSON.stringify(loaded.body)).to.be.oneOf([200, 201])
      if (isOfUsers) await addEndpoint(first)
      publisher = await openPublisher(router.url)
      // both hear events before anything is published that must come
      for (const node of nodes()) {
        const has = async () =>
          ((await askJson(`${node.adminUrl}/registry`)) as Registered).deliveries.length > 0
        expect(await holdsWithin(generous, has)).to.equal(true)
      }
      await new Promise((resolve) => setTimeout(resolve, 8_000))
      await ownerNow()
    })
    beforeEach(() => {
      first = published
    })
    after(async () => {
      await publisher?.close().catch(() => undefined)
      await cluster?.stop()
      receiver?.close()
      await router?.stop()
      await server?.remove()
    })

    it('come once each, and no event at two places at once', async () => {
      await publish(100)
      await allHaveCome()
      const all = receiver.received.filter(
        ({ body }) => body.type === topic && (body.data as { id: number }).id >= first,
      )
      expect(all).to.have.length(100)
    })

    it('lose nothing when the owner is killed while events come', async () => {
      for (let kill = 0; kill < kills; kill += 1) {
        const owner = await ownerNow()
        const coming = publish(600)
        await new Promise((resolve) => setTimeout(resolve, 300))
        await owner.end('SIGKILL')
        await coming
        if (!isShared) await owner.start()
        await allHaveCome()
        if (isShared) await owner.start()
        await new Promise((resolve) => setTimeout(resolve, 8_000))
      }
    })

    it('lose nothing when the owner is frozen for longer than its lease, and it sends no more once it thaws', async () => {
      const owner = await ownerNow()
      const others = nodes().filter((node) => node !== owner && node.isRunning)
      const acceptedByOthers = async () => (await Promise.all(others.map(accepted))).reduce(sum, 0)
      const before = await acceptedByOthers()
      await publish(50)
      owner.pause()
      await publish(200)
      await new Promise((resolve) => setTimeout(resolve, frozenMs))
      // of stores of their own, what the owner has accepted waits for it
      if (isShared) await allHaveCome()
      else {
        const isTaken = async () => (await acceptedByOthers()) >= before + 200
        expect(await holdsWithin(generous, isTaken), 'another node accepts').to.equal(true)
      }
      owner.resume()
      await publish(50)
      await allHaveCome()
      if (isShared)
        expect(await holdsWithin(generous, async () => !(await isOwner(owner)))).to.equal(true)
    })

    it('are handed over when the owner is stopped', async () => {
      const owner = await ownerNow()
      const coming = publish(200)
      await new Promise((resolve) => setTimeout(resolve, 100))
      expect(await owner.end('SIGTERM')).to.equal(0)
      await coming
      await allHaveCome()
      await owner.start()
    })

    it('tell a gap of the time in which the router is away', async () => {
      await ownerNow()
      const holes = async () => {
        const found = await Promise.all(
          nodes().map(async ({ adminUrl }) => {
            const answer = await fetch(`${adminUrl}/metrics`)
            const told = /^gateway_delivery_gaps_total\{.*router_lost.*\} (\d+)$/m
            return Number(told.exec(await answer.text())?.[1] ?? 0)
          }),
        )
        return found.reduce(sum, 0)
      }
      const before = await holes()
      await router.kill()
      await new Promise((resolve) => setTimeout(resolve, 5_000))
      await router.restart()
      expect(await holdsWithin(generous, async () => (await holes()) > before)).to.equal(true)
      publisher = await openPublisher(router.url)
      await ownerNow()
      // those before may be part of a gap that is told
      first = published
      await publish(50)
      await allHaveCome()
    })
  })
}
