/** Streams on several gateways: what is revoked or loaded on one ends them on the others. */
import { expect } from 'chai'
import { Cluster, holdsWithin, type Member } from '#test/cluster/cluster.ts'
import { startRouterProcess } from '#test/cluster/router-process.ts'
import type { EventStream } from '#test/support/event-stream.ts'
import {
  logIn,
  revoke,
  shopDocument,
  shopRealm,
  statusOf,
} from '#test/support/examples/example-api.ts'
import {
  bearer,
  endOf,
  expectAlive,
  issueKey,
  keyed,
  type LiveChanges,
  liveDocument,
  liveRealm,
  manage,
  type Way,
  watch,
  within,
} from '#test/support/examples/live-api.ts'
import { send } from '#test/support/http-request.ts'

/** How long nodes may take to have the same; milliseconds. */
const healingTime = 60_000

const unauthorized = 'service.error.unauthorized'

describe('streams on three gateways', () => {
  let router: Awaited<ReturnType<typeof startRouterProcess>>
  let cluster: Cluster
  let open: EventStream[] = []

  const members = () => cluster.members as readonly [Member, Member, Member]
  const converged = async () => {
    expect(await holdsWithin(healingTime, () => cluster.isConverged())).to.equal(true)
  }
  const change = (at: Member, changes?: LiveChanges) =>
    manage(at.node.adminUrl, '/realms', liveRealm(changes))

  before(async () => {
    router = await startRouterProcess()
    cluster = await Cluster.start({ routerUrl: router.url })
    const [first] = members()
    await change(first)
    await manage(first.node.adminUrl, '/api_specs', liveDocument())
    await converged()
  })
  after(async () => {
    await cluster?.stop()
    await router?.stop()
  })

  afterEach(async () => {
    for (const stream of open) stream.close()
    open = []
    const [first] = members()
    await change(first)
    await manage(first.node.adminUrl, '/api_specs', liveDocument())
    await converged()
  })

  async function watched({ node }: Member, way: Way, headers: Readonly<Record<string, string>>) {
    const stream = await watch(node.url, way, headers)
    open.push(stream)
    await expectAlive(node.url, stream)
    return stream
  }

  /** A token of a user that every node knows. */
  async function tokenOf(username: 'ada' | 'bob' = 'ada') {
    const [at] = members()
    const tokens = await logIn(at.node.url, username)
    const isKnown = async () => {
      const all = await Promise.all(
        members().map(({ node }) => statusOf(node.url, tokens.access_token)),
      )
      return all.every((status) => status === 200)
    }
    expect(await holdsWithin(healingTime, isKnown)).to.equal(true)
    return tokens
  }

  const expectEnds = async (streams: readonly EventStream[], code: string) => {
    const codes = await within('the ends', Promise.all(streams.map(endOf)))
    expect(codes).to.deep.equal(streams.map(() => code))
  }

  /** A stream on every node. */
  const everywhere = (way: Way, headers: Readonly<Record<string, string>>) =>
    Promise.all(members().map((member) => watched(member, way, headers)))

  it('end on all when an access token is revoked on one, and no others do', async () => {
    const [, at] = members()
    const [one, other] = [await tokenOf(), await tokenOf('bob')]
    const streams = await everywhere('gateway', bearer(one.access_token))
    const others = await everywhere('gateway', bearer(other.access_token))
    expect(await revoke(at.node.url, one.access_token)).to.equal(200)
    await expectEnds(streams, unauthorized)
    for (const [index, stream] of others.entries()) {
      await expectAlive((members()[index] as Member).node.url, stream)
    }
  })

  it('end on all when a user is disabled on one', async () => {
    const [, , at] = members()
    const { access_token } = await tokenOf()
    const streams = await everywhere('gateway', bearer(access_token))
    await change(at, { ofAda: { enabled: false } })
    await expectEnds(streams, unauthorized)
  })

  it('end on all when everything of a user is revoked on one, API keys among it', async () => {
    const [at, , there] = members()
    const { access_token } = await tokenOf('bob')
    const { api_key } = await issueKey(at.node.adminUrl, 'bob')
    const isKnown = async () =>
      (await send(there.node.url, '/shop/key', { headers: keyed(api_key) })).status === 200
    expect(await holdsWithin(healingTime, isKnown)).to.equal(true)
    const streams = [
      await watched(there, 'key', keyed(api_key)),
      await watched(there, 'gateway', bearer(access_token)),
    ]
    await manage(at.node.adminUrl, `/realms/${shopRealm}/users/bob/revoke_all`, {})
    await expectEnds(streams, unauthorized)
  })

  it('are told reloaded, and gone, by what happens to their document on another node', async () => {
    const [at, there] = members()
    const stream = await watched(there, 'open', {})
    await manage(at.node.adminUrl, '/api_specs', { ...liveDocument(), name: 'the next version' })
    await expectEnds([stream], 'reloaded')
    const next = await watched(there, 'open', {})
    await manage(at.node.adminUrl, `/api_specs/${shopDocument.id}`, undefined, 'DELETE')
    await expectEnds([next], 'gone')
  })
})
