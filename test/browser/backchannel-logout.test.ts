/** A user who logs out at the provider, by the provider's own page and sender: out on all gateways, one of which has two workers. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { freePort } from '#test/support/free-port.ts'
import { type GatewayProcess, startGatewayProcess } from '#test/support/gateway-process.ts'
import { openEmbeddedRouter, type TestRouter } from '#test/support/peers/router.ts'
import { until } from '#test/support/running/until.ts'
import { end, lineOf, type } from '#test/support/typed.ts'
import { launchBrowser } from './chromium.ts'

const folder = join(import.meta.dirname, '../../examples/oidc-login')
/** Gateways that serve the example. */
interface Served {
  readonly gateways: readonly GatewayProcess[]
  /** One each, on `localhost`: its cookies are sent to all ports. */
  readonly origins: readonly string[]
  readonly issuer: string
  stop(): Promise<void>
}

/** What the realm and the API of the example say, with another provider. */
const read = (name: string, issuer: string) =>
  JSON.parse(
    readFileSync(join(folder, name), 'utf8')
      .replaceAll('http://127.0.0.1:18083', issuer)
      .replace('{ "env": "NOTES_SECRET" }', '"notes-secret"'),
  )

/**
 * Starts the provider, and gateways one after the other; the provider knows the first one only.
 * @param settings of each, and the router of all
 */
async function serve(
  settings: readonly Readonly<Record<string, string>>[],
  router?: TestRouter,
): Promise<Served> {
  const ports = await Promise.all(settings.map(() => freePort()))
  const origins = ports.map((port) => `http://localhost:${port}`)
  const [first = ''] = origins
  const issuer = `http://127.0.0.1:${await freePort()}`
  const provider = type(
    `export NOTES_SECRET=notes-secret\nnpm run example:oidc-login -- ${issuer} ${first}`,
  )
  const gateways: GatewayProcess[] = []
  const stop = async () => {
    for (const gateway of gateways) await gateway.kill()
    await router?.stop()
    await end(provider)
  }
  try {
    await lineOf(provider, /^provider /)
    for (const [index, more] of settings.entries()) {
      const gateway = await startGatewayProcess({
        'gateway.listen': `127.0.0.1:${ports[index]}`,
        'gateway.public_base_url': first,
        'gateway.ws_allowed_origins': JSON.stringify(origins),
        ...(router && { 'wamp.url': router.url }),
        ...more,
      })
      gateways.push(gateway)
    }
    await gateways[0]?.post('/realms', read('realm.json', issuer))
    await gateways[0]?.post('/api_specs', read('api-spec.json', issuer))
    for (const origin of origins) {
      await until('the API is there', async () => (await fetch(`${origin}/api/me`)).status === 401)
    }
  } catch (error) {
    await stop()
    throw error
  }
  return { gateways, origins, issuer, stop }
}

/** More connections than go to one worker. */
const asked = 6

/** The statuses by which all gateways answer a browser, each once. */
async function statusesOf(context: BrowserContext, { origins }: Served): Promise<number[]> {
  const { cookies } = await context.storageState()
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const all = origins.flatMap((origin) =>
    Array.from({ length: asked }, async () => {
      const { status } = await fetch(`${origin}/api/me`, {
        headers: { cookie, connection: 'close' },
      })
      return status
    }),
  )
  return [...new Set(await Promise.all(all))]
}

/** Logs in on the page of the first gateway. */
async function logIn(context: BrowserContext, { origins }: Served): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${origins[0]}/app`)
  await page.getByText('Log in').click()
  await page.getByLabel('Name').fill('ada')
  await page.getByText('Log in').click()
  await page.locator('#user').waitFor()
  return page
}

/** Logs out at the provider, which then tells the first gateway. */
async function logOutThere(context: BrowserContext, { issuer }: Served): Promise<void> {
  const page = await context.newPage()
  await page.goto(`${issuer}/session/end`)
  await page.getByText('Yes, log me out').click()
}

describe('a user in a browser who logs out at the provider', () => {
  let browser: Browser
  let context: BrowserContext
  let served: Served | undefined

  before(async () => {
    browser = await launchBrowser()
  })
  after(() => browser?.close())
  beforeEach(async () => {
    context = await browser.newContext()
  })
  afterEach(async () => {
    await context.close()
    await served?.stop()
    served = undefined
  })

  it('is refused by two gateways, one of them with two workers', async () => {
    const all = await serve([{ workers: '2' }, {}], await openEmbeddedRouter())
    served = all
    await logIn(context, all)
    const statuses = async () => (await statusesOf(context, all)).join()
    await until('the ticket holds on both', async () => (await statuses()) === '200')
    await logOutThere(context, all)
    await until('neither serves it', async () => (await statuses()) === '401')
    const names = (await context.cookies(all.origins[0])).map(({ name }) => name)
    expect(names, 'it still has its ticket').to.include('service_ticket_com.example.notes')
  })

  it('loses the WAMP session of its page, where the router is in another process', async () => {
    const all = await serve([{ workers: '2' }])
    served = all
    const page = await logIn(context, all)
    await page.getByText('Open one').click()
    await page.locator('#session').getByText('listening').waitFor()
    await logOutThere(context, all)
    await page.locator('#session').getByText('none').waitFor()
    expect(await statusesOf(context, all)).to.deep.equal([401])
  })
})
