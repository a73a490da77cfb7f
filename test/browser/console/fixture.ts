/** Two gateways with some documents and a browser at the console of the first: whatever goes wrong in a page is noted. */
import { expect } from 'chai'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { findingsIn } from '#test/browser/axe.ts'
import { launchBrowser } from '#test/browser/chromium.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { openEmbeddedRouter, type TestRouter } from '#test/support/peers/router.ts'
import { until } from '#test/support/running/until.ts'

/** An operation that answers what the document says. */
export const fixed = (body: unknown, more: object = {}) => ({
  action: { type: 'static', body },
  response: { on_result: {}, on_error: {} },
  ...more,
})

/** The URI of an order is its id. */
const calling = (procedure: string) => ({
  action: { type: 'wamp_call', procedure, args: ['{{request.bindings.id |> integer}}'] },
  response: {
    on_result: { body: '{{action.result.args |> head}}' },
    on_error: { body: '{{action.error.kwargs}}' },
  },
})

/** A document of one version. */
export const specOf = (
  id: string,
  base_path: string,
  paths: object,
  realm_uri = 'com.example.test',
) => ({
  ...{ id, name: id.slice(id.lastIndexOf('.') + 1), host: '_', realm_uri },
  versions: { '1.0': { base_path, info: { title: id }, paths } },
})

/** The document that tests change. */
export const orders = specOf('com.example.orders', '/[v1]', {
  '/orders': { get: fixed([{ id: 7 }]), post: fixed({ id: 8 }) },
  '/orders/:id': {
    get: fixed({ id: '{{request.bindings.id}}' }),
    delete: calling('com.example.order.delete'),
  },
})

const others = [
  specOf('com.example.customers', '/crm', {
    '/customers': { get: fixed([]) },
    '/customers/:id': { get: calling('com.example.customer.get'), patch: fixed('changed') },
  }),
  specOf('com.example.shipping', '/ship', { '/parcels/:id': { get: fixed('under way') } }),
]

type PageOptions = BrowserContextOptions & { readonly key?: string }

/**
 * Opens the console of a gateway.
 * @param troubles takes errors and warnings of the page, violations of its policy, and requests that go elsewhere
 * @param place as `apis/com.example.orders`
 */
export async function openPage(
  browser: Browser,
  { adminUrl, url }: { readonly adminUrl: string; readonly url: string },
  troubles: string[],
  place = '',
  { key, ...options }: PageOptions = {},
): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options })
  page.on('request', (request) => {
    const isOwn = [adminUrl, url].some((base) => request.url().startsWith(base))
    if (!isOwn && !request.url().startsWith('blob:')) troubles.push(request.url())
  })
  page.on('pageerror', (error) => troubles.push(error.message))
  page.on('dialog', (dialog) => {
    troubles.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    const isExpected = message.text().startsWith('Failed to load resource')
    if (['error', 'warning'].includes(message.type()) && !isExpected) troubles.push(message.text())
  })
  await page.exposeFunction('noteViolation', (text: string) => troubles.push(text))
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => noteViolation(event.violatedDirective + ' ' + event.blockedURI))",
  )
  if (key !== undefined) {
    await page.addInitScript(
      `sessionStorage.setItem('wamp-gateway.credentials', ${JSON.stringify(key)})`,
    )
  }
  await page.goto(`${adminUrl}/console/${place === '' ? '' : `#/${place}`}`)
  return page
}

/**
 * Opens another place of the console by its address; resolves once the page shows that place, and nothing of the one before.
 * @param place as `apis/com.example.orders`
 */
export async function goTo(page: Page, place: string): Promise<void> {
  const hash = JSON.stringify(`#/${place}`)
  // the page draws in the frame that follows `hashchange`, and its listener is the first
  await page.evaluate(`new Promise((resolve) => {
    if (location.hash === ${hash}) return resolve()
    addEventListener('hashchange', () => requestAnimationFrame(() => resolve()), { once: true })
    location.hash = ${hash}
  })`)
}

type ConsoleRouter = Pick<TestRouter, 'url' | 'stop'>

/** Made by {@link openConsole}. */
export class ConsoleTest {
  readonly first: TestGateway
  readonly second: TestGateway
  readonly browser: Browser
  /** Errors and warnings of the pages, violations of their policy, and requests that go elsewhere. */
  readonly troubles: string[] = []
  readonly #router: ConsoleRouter

  constructor(first: TestGateway, second: TestGateway, browser: Browser, router: ConsoleRouter) {
    this.first = first
    this.second = second
    this.browser = browser
    this.#router = router
  }

  /** Opens the console of the first gateway. See {@link openPage}. */
  open(place = '', options: PageOptions = {}): Promise<Page> {
    return openPage(this.browser, this.first, this.troubles, place, options)
  }

  /** Loads a document at a gateway. */
  async load(gateway: TestGateway, document: unknown): Promise<void> {
    const { status, body } = await gateway.load(document)
    expect(status, JSON.stringify(body)).to.be.within(200, 201)
  }

  /** Sends requests of several kinds to both gateways. */
  async traffic(rounds = 10): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      const paths = ['/orders/7', '/orders/8', '/orders', '/ship/parcels/5', '/crm/customers/5']
      await Promise.all(
        [this.first, this.second].flatMap(({ url }) => paths.map((path) => send(url, path))),
      )
    }
  }

  /** What axe-core finds in a page, serious or critical. */
  readonly findings = findingsIn

  /** What axe-core finds in a dialog, light and dark, wide and narrow; CONSOLE_PICTURES is the folder of its pictures. */
  async dialogFindings(page: Page, name: string): Promise<string[]> {
    const findings: string[] = []
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        findings.push(...(await findingsIn(page)))
        const folder = process.env.CONSOLE_PICTURES
        const path = `${folder}/dialog-${name}-${colorScheme}-${width}.png`
        if (folder !== undefined) await page.screenshot({ path })
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.emulateMedia({ colorScheme: null })
    return findings
  }

  async close(): Promise<void> {
    await this.browser.close()
    await this.second.stop()
    await this.first.stop()
    await this.#router.stop()
  }
}

/** Starts both gateways, which have met, and the browser. */
export async function openConsole(
  settings: Readonly<Record<string, string>> = {},
  openRouter: () => Promise<ConsoleRouter> = openEmbeddedRouter,
): Promise<ConsoleTest> {
  const router = await openRouter()
  const start = (node: string) => startGateway({ 'wamp.url': router.url, node, ...settings })
  const first = await start('node-a')
  const second = await start('node-b')
  const test = new ConsoleTest(first, second, await launchBrowser(), router)
  for (const document of [orders, ...others]) await test.load(first, document)
  await until('both nodes hold the same', async () => {
    const { nodes } = (await send(second.adminUrl, '/registry')).json() as {
      nodes: { is_equal: boolean }[]
    }
    return nodes.length === 1 && nodes[0]?.is_equal === true
  })
  return test
}
