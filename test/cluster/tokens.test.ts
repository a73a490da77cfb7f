/** Tokens on three gateways whose clocks differ: what one has issued, renewed or ended holds on the others. Needs Debian's PostgreSQL. */
import { expect } from 'chai'
import {
  askLogin,
  askRefresh,
  invalidGrant,
  logIn,
  refresh,
  refusalOf,
  revoke,
  shopDocument,
  shopRealm,
  shopRealmWith,
  statusOf,
} from '#test/support/examples/example-api.ts'
import { send } from '#test/support/http-request.ts'
import { type Postgres, startPostgres } from '#test/support/peers/postgres.ts'
import { Cluster, type ClusterPlan, holdsWithin, type Member } from './cluster.ts'
import { startRouterProcess } from './router-process.ts'

/** How long a node may take to learn what another one knows, on a busy machine; milliseconds. */
const patience = 60_000

/** The nodes in the order of their clocks: the first is behind, the last ahead. */
type Three = readonly [Member, Member, Member]

const urlOf = ({ node }: Member) => node.url

/** Changes something at a node. @throws Error unless it is well received */
async function change({ node }: Member, path: string, body: unknown = {}): Promise<unknown> {
  const answer = await send(node.adminUrl, path, { method: 'POST', body })
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`)
  return answer.json()
}

const revokeAll = (member: Member, username: string) =>
  change(member, `/realms/${shopRealm}/users/${username}/revoke_all`)

/** Do all of them answer so? */
const allAnswer = async (members: readonly Member[], token: string, status: number) => {
  const statuses = await Promise.all(members.map((member) => statusOf(urlOf(member), token)))
  return statuses.every((one) => one === status)
}

async function expectAll(members: readonly Member[], token: string, status: 200 | 401) {
  const isSo = await holdsWithin(patience, () => allAnswer(members, token, status))
  expect(isSo, `${status} on all`).to.equal(true)
}

/** Three nodes with realm and API. */
async function startShop(plan: ClusterPlan): Promise<Cluster> {
  const cluster = await Cluster.start(plan)
  const [first] = cluster.members as Three
  await change(first, '/realms', shopRealmWith())
  await change(first, '/api_specs', shopDocument)
  expect(await holdsWithin(patience, () => cluster.isConverged())).to.equal(true)
  // the first token of the realm makes its key
  const { access_token } = await logIn(urlOf(first))
  await expectAll(cluster.members, access_token, 200)
  return cluster
}

/** What holds wherever the refresh tokens are. */
function describeRevocation(clusterOf: () => Cluster): void {
  const members = () => clusterOf().members as Three
  /** Every node in turn, the one ahead of the others first, and the one after it: the one that is behind them. */
  const turns = () =>
    members()
      .map((at, index, all) => [at, all[(index + 1) % 3] as Member] as const)
      .toReversed()

  afterEach(async () => {
    const [first] = members()
    await change(first, '/realms', shopRealmWith())
    expect(await holdsWithin(patience, () => clusterOf().isConverged())).to.equal(true)
  })

  it('verify what any of them has issued, and refuse what any of them has revoked', async () => {
    for (const [at, elsewhere] of turns()) {
      const { access_token } = await logIn(urlOf(at))
      await expectAll(members(), access_token, 200)
      expect(await revoke(urlOf(elsewhere), access_token)).to.equal(200)
      await expectAll(members(), access_token, 401)
    }
  })

  it('end all that a user had from any of them, and nothing that it gets afterwards', async () => {
    for (const [at, elsewhere] of turns()) {
      const [ours, theirs] = [await logIn(urlOf(at)), await logIn(urlOf(elsewhere))]
      const other = await logIn(urlOf(at), 'bob')
      for (const { access_token } of [ours, theirs, other]) {
        await expectAll(members(), access_token, 200)
      }
      await revokeAll(elsewhere, 'ada')
      for (const { access_token } of [ours, theirs]) {
        await expectAll(members(), access_token, 401)
      }
      for (const [member, { refresh_token }] of [
        [at, ours],
        [elsewhere, theirs],
      ] as const) {
        expect(refusalOf(await askRefresh(urlOf(member), refresh_token))).to.deep.equal(
          invalidGrant,
        )
      }
      await expectAll(members(), other.access_token, 200)
      for (const member of [elsewhere, at]) {
        const next = await logIn(urlOf(member))
        await expectAll(members(), next.access_token, 200)
        const renewed = await refresh(urlOf(member), next.refresh_token)
        await expectAll(members(), renewed.access_token, 200)
      }
    }
  })

  it('end all that a user had who is disabled at one of them', async () => {
    const [behind, , ahead] = members()
    const had = await logIn(urlOf(ahead))
    const other = await logIn(urlOf(ahead), 'bob')
    await expectAll(members(), had.access_token, 200)
    await change(behind, '/realms', shopRealmWith({ enabled: false }))
    await expectAll(members(), had.access_token, 401)
    await expectAll(members(), other.access_token, 200)
    for (const member of members()) {
      expect(refusalOf(await askLogin(urlOf(member)))).to.deep.equal(invalidGrant)
      expect(refusalOf(await askRefresh(urlOf(member), had.refresh_token))).to.deep.equal(
        invalidGrant,
      )
    }
    await change(ahead, '/realms', shopRealmWith())
    expect(await holdsWithin(patience, () => clusterOf().isConverged())).to.equal(true)
    // who is there again has nothing of before
    expect(await allAnswer(members(), had.access_token, 401)).to.equal(true)
    await expectAll(members(), (await logIn(urlOf(behind))).access_token, 200)
  })

  it('have the keys that one of them rotates', async () => {
    const [behind, between, ahead] = members()
    const { kid } = (await change(behind, '/services/rotate_realm_keys', { uri: shopRealm })) as {
      readonly kid: string
    }
    for (const { node } of [between, ahead]) {
      const isShown = async () =>
        (await send(node.url, '/shop/oauth/jwks')).text.includes(`"${kid}"`)
      expect(await holdsWithin(patience, isShown)).to.equal(true)
    }
    for (const member of members()) {
      await expectAll(members(), (await logIn(urlOf(member))).access_token, 200)
    }
  })

  it('take the API keys that one of them has issued, until one of them revokes them', async () => {
    const [behind, between, ahead] = members()
    const issued = await change(behind, `/realms/${shopRealm}/users/bob/api_keys`)
    const { api_key } = issued as { readonly api_key: string }
    const isAnswered = (status: number) => async () => {
      const ask = ({ node }: Member) =>
        send(node.url, '/shop/key', { headers: { 'x-key': api_key } })
      const answers = await Promise.all(members().map(ask))
      return answers.every((answer) => answer.status === status)
    }
    expect(await holdsWithin(patience, isAnswered(200))).to.equal(true)
    await revokeAll(ahead, 'bob')
    expect(await holdsWithin(patience, isAnswered(401))).to.equal(true)
    expect((await logIn(urlOf(between), 'bob')).access_token).to.be.a('string')
  })

  it('refuse what was revoked while they were cut off, once they are not any more', async () => {
    const [at, cutOff] = members()
    const one = await logIn(urlOf(cutOff))
    const all = await logIn(urlOf(cutOff), 'bob')
    await expectAll(members(), one.access_token, 200)
    await expectAll(members(), all.access_token, 200)
    cutOff.link.cut()
    expect(await revoke(urlOf(at), one.access_token)).to.equal(200)
    await revokeAll(at, 'bob')
    // what bob gets from now on is no part of it, whenever the others hear of it
    const next = await logIn(urlOf(at), 'bob')
    cutOff.link.heal()
    for (const { access_token } of [one, all]) {
      const isRefused = () => allAnswer(members(), access_token, 401)
      expect(await holdsWithin(patience, isRefused)).to.equal(true)
    }
    expect(await holdsWithin(patience, () => clusterOf().isConverged())).to.equal(true)
    await expectAll(members(), next.access_token, 200)
    const renewed = await refresh(urlOf(at), next.refresh_token)
    await expectAll(members(), renewed.access_token, 200)
  })
}

describe('three gateways', function () {
  this.timeout(300_000)
  let router: Awaited<ReturnType<typeof startRouterProcess>>
  before(async () => {
    router = await startRouterProcess()
  })
  after(() => router?.stop())

  describe('with a SQLite file each', () => {
    let cluster: Cluster
    before(async () => {
      cluster = await startShop({ routerUrl: router.url })
    })
    after(() => cluster?.stop())

    describeRevocation(() => cluster)

    it('take a refresh token only where it was issued, and whoever else asks ends nothing', async () => {
      const [issuer, ...others] = cluster.members as Three
      let { refresh_token } = await logIn(urlOf(issuer))
      for (const other of others) {
        expect(refusalOf(await askRefresh(urlOf(other), refresh_token))).to.deep.equal(invalidGrant)
        const next = await refresh(urlOf(issuer), refresh_token)
        refresh_token = next.refresh_token
        await expectAll(cluster.members, next.access_token, 200)
      }
    })
  })

  describe('with one PostgreSQL', () => {
    let server: Postgres
    let cluster: Cluster
    before(async () => {
      server = await startPostgres()
      const storeUrl = await server.database()
      // the grace for repeats is told by the clocks of the nodes
      const clockOffsets = [-2000, 0, 2000]
      cluster = await startShop({ routerUrl: router.url, storeUrl, clockOffsets })
    })
    after(async () => {
      await cluster?.stop()
      await server?.remove()
    })

    describeRevocation(() => cluster)

    it('renew at any of them what any of them has issued', async () => {
      let { refresh_token } = await logIn(urlOf((cluster.members as Three)[0]))
      for (const member of [...cluster.members, ...cluster.members]) {
        const next = await refresh(urlOf(member), refresh_token)
        refresh_token = next.refresh_token
        await expectAll(cluster.members, next.access_token, 200)
      }
    })

    it('give one successor to 50 that use a token at once, everywhere', async () => {
      const { refresh_token } = await logIn(urlOf((cluster.members as Three)[0]))
      const urls = Array.from({ length: 50 }, (_, index) =>
        urlOf(cluster.members[index % 3] as Member),
      )
      const answers = await Promise.all(urls.map((url) => refresh(url, refresh_token)))
      const successors = new Set(answers.map((answer) => answer.refresh_token))
      expect(successors.size).to.equal(1)
      const [successor = ''] = successors
      expect((await refresh(urls[1] ?? '', successor)).refresh_token).to.not.equal(successor)
    })

    it('renew elsewhere what one of them renewed before it was killed', async () => {
      for (const member of cluster.members) {
        const others = cluster.members.filter((one) => one !== member)
        const { refresh_token } = await logIn(urlOf(member))
        const next = await refresh(urlOf(member), refresh_token)
        await member.node.end('SIGKILL')
        for (const other of others) {
          // the answer may have been lost: the old one gives the same
          const repeat = await refresh(urlOf(other), refresh_token)
          expect(repeat.refresh_token).to.equal(next.refresh_token)
          await expectAll(others, repeat.access_token, 200)
        }
        const last = await refresh(urlOf(others[0] as Member), next.refresh_token)
        await expectAll(others, last.access_token, 200)
        await member.node.start()
        expect(await holdsWithin(patience, () => cluster.isConverged())).to.equal(true)
        await expectAll(cluster.members, last.access_token, 200)
      }
    })
  })
})
