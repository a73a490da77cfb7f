/** Tokens used at several gateways at once, or at another one than the one that has ended them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  askRefresh,
  invalidGrant,
  logIn,
  refresh,
  refusalOf,
  revoke,
  shopDocument,
  shopRealmWith,
  statusOf,
  type TokenAnswer,
} from '#test/support/examples/example-api.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { openEmbeddedRouter, type TestRouter } from '#test/support/peers/router.ts'
import { movedClock } from '#test/support/running/moved-clock.ts'
import { until } from '#test/support/running/until.ts'
import { describeArea } from './cases.ts'
import { ask as askBytes, expectRefusal, get, portOf } from './sockets.ts'

const clock = movedClock()

/** Loads realm and API at one gateway; resolves when all serve them. */
async function openShop(gateways: readonly TestGateway[]): Promise<void> {
  const [first] = gateways
  const body = shopRealmWith()
  const loaded = await send(first?.adminUrl ?? '', '/realms', { method: 'POST', body })
  expect(loaded.status, loaded.text).to.be.oneOf([200, 201])
  expect((await first?.load(shopDocument))?.status).to.be.oneOf([200, 201])
  for (const { url, adminUrl } of gateways) {
    await until('the realm and the API are there', async () => {
      const { text } = await send(adminUrl, '/realms')
      return text.includes('"ada"') && (await statusOf(url, 'none')) === 401
    })
  }
}

let router: TestRouter

/** All gateways here are on one router, which is up before them. */
async function startRouter(): Promise<Readonly<Record<string, string>>> {
  router = await openEmbeddedRouter()
  return { 'wamp.url': router.url, node: 'first' }
}

describeArea('oauth, several gateways', startRouter, (area) => {
  const others: TestGateway[] = []
  const start = async (node: string, settings: Readonly<Record<string, string>> = {}) => {
    const gateway = await startGateway({ 'wamp.url': router.url, node, ...settings }, { clock })
    others.push(gateway)
    return gateway
  }

  afterEach(async () => {
    for (const gateway of others.splice(0)) await gateway.stop()
    clock.aheadMs = 0
    clock.start()
  })
  after(() => router.stop())

  area.test(
    85,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'gateway-families-'))
      const shared = { 'store.url': `sqlite:${join(folder, 'shared.db')}` }
      const nodes: TestGateway[] = []
      for (const node of ['one', 'two', 'three']) nodes.push(await start(node, shared))
      await openShop(nodes)
      const at = (index: number) => nodes[index % nodes.length]?.url ?? ''

      const { refresh_token } = await logIn(at(0))
      clock.stop()
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) => refresh(at(index), refresh_token)),
      )
      const successors = new Set(answers.map((answer) => answer.refresh_token))
      expect(successors.size, 'heads of the family').to.equal(1)
      const [successor = ''] = successors
      expect(successor).to.not.equal(refresh_token)
      expect(await statusOf(at(1), answers[0]?.access_token ?? '')).to.equal(200)

      clock.aheadMs += 9_000
      expect((await refresh(at(1), refresh_token)).refresh_token, 'a repeat').to.equal(successor)
      const next: TokenAnswer = await refresh(at(2), successor)
      clock.aheadMs += 11_000
      // what was used is used again, everywhere at once: by somebody who has a copy
      const late = await Promise.all(
        Array.from({ length: 50 }, (_, index) => askRefresh(at(index), successor)),
      )
      for (const answer of late) expect(refusalOf(answer)).to.deep.equal(invalidGrant)
      for (const { url } of nodes) {
        const answer = await askRefresh(url, next.refresh_token)
        expect(refusalOf(answer), 'the family is dead').to.deep.equal(invalidGrant)
        await until('its access tokens are', async () => {
          return (await statusOf(url, next.access_token)) === 401
        })
      }
      rmSync(folder, { recursive: true, force: true })
    },
    'and after the grace',
  )

  area.test(90, async (entry) => {
    const other = await start('second')
    await openShop([area.gateway, other])
    const used = [area.gateway, other] as const
    for (const [at, elsewhere] of [used, used.toReversed()] as const) {
      const { access_token } = await logIn(at?.url ?? '')
      const url = elsewhere?.url ?? ''
      await until('the key of the realm is there', async () => {
        return (await statusOf(url, access_token)) === 200
      })
      expect(await revoke(at?.url ?? '', access_token)).to.equal(200)
      await until(
        'it is refused elsewhere',
        async () => (await statusOf(url, access_token)) === 401,
      )
      const bytes = get('/shop/me', `Authorization: Bearer ${access_token}`)
      const answer = await askBytes(portOf(url), bytes)
      expectRefusal(answer, entry)
      expect(answer.headers['www-authenticate']).to.include(`error="${entry.expected.error}"`)
    }
  })
})
