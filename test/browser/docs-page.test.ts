/** The docs page in a browser: it shows the API and tries it out, under its policy, and asks nobody but the gateway. */
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { findingsIn } from './axe.ts'
import { launchBrowser } from './chromium.ts'

const schemas = {
  Order: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string' }, state: { enum: ['open', 'sent'] } },
  },
}

const operation = (summary: string, body: unknown) => ({
  summary,
  tags: ['orders'],
  action: { type: 'static', body },
  response: { on_result: { schema: { $ref: '#/schemas/Order' } } },
})

const document = {
  id: 'com.example.orders',
  host: '_',
  realm_uri: 'com.example.realm',
  schemas,
  versions: {
    '1.0': {
      base_path: '/[v1]',
      info: { title: 'Orders', description: 'What has **been** ordered.' },
      openapi: { path: '/openapi', docs_path: '/docs' },
      paths: {
        '/orders/:id': {
          request: { bindings: { properties: { id: { type: 'string', maxLength: 10 } } } },
          get: operation('One order.', { id: '{{request.bindings.id}}', state: 'open' }),
        },
        '/orders': {
          post: {
            ...operation('A new order.', '{{request.body}}'),
            request: { body: { $ref: '#/schemas/Order' } },
          },
        },
      },
    },
  },
}

/** Rules of axe that elements of Swagger UI break: its colors and controls. */
const ofSwaggerUi = ['color-contrast', 'label', 'nested-interactive', 'select-name']

describe('the docs page in a browser', () => {
  let gateway: TestGateway
  let browser: Browser
  let page: Page
  const requests: string[] = []
  const troubles: string[] = []

  before(async () => {
    gateway = await startGateway({}, { isEmbedded: true })
    const { status, body } = await gateway.load(document)
    expect(status, JSON.stringify(body)).to.equal(201)
    expect(body.warnings).to.deep.equal([])
    browser = await launchBrowser()
  })
  after(async () => {
    await browser?.close()
    await gateway?.stop()
  })
  beforeEach(async () => {
    requests.length = 0
    troubles.length = 0
    page = await browser.newPage({ viewport: { width: 1280, height: 1600 } })
    page.on('request', (request) => requests.push(request.url()))
    page.on('pageerror', (error) => troubles.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') troubles.push(message.text())
    })
    await page.exposeFunction('noteViolation', (text: string) => troubles.push(text))
    await page.addInitScript(
      "addEventListener('securitypolicyviolation', (event) => noteViolation(event.violatedDirective + ' ' + event.blockedURI))",
    )
  })
  afterEach(() => page.close())

  const isOwn = (url: string) => url.startsWith(gateway.url) || url.startsWith('data:')

  /** The one operation of a summary, opened. */
  const opened = async (id: string) => {
    const block = page.locator(`#operations-orders-${id}`)
    await block.locator('.opblock-summary').click()
    await block.locator('.try-out__btn').click()
    return block
  }

  for (const path of ['/v1/docs', '/docs']) {
    it(`shows the API and tries it out at ${path}`, async () => {
      await page.goto(`${gateway.url}${path}`)
      await page.locator('.info .title').waitFor()
      expect(await page.locator('.info .title').innerText()).to.contain('Orders')
      const block = await opened('get_orders_by_id')
      await block.locator('input[placeholder="id"]').fill('a7')
      await block.locator('button.execute').click()
      await block.locator('.live-responses-table .response').first().waitFor()
      const answer = await block.locator('.live-responses-table').innerText()
      expect(answer).to.contain('200').and.contain('"a7"').and.contain('"open"')
      const file = process.env.DOCS_PAGE_SCREENSHOT
      if (file !== undefined) await page.screenshot({ path: file, fullPage: true })
      expect(requests.filter((url) => !isOwn(url))).to.deep.equal([])
      expect(requests.some((url) => url.endsWith('/orders/a7'))).to.equal(true)
      expect(troubles).to.deep.equal([])
    })
  }

  for (const width of [1440, 390])
    it(`fits a screen of ${width} pixels, and has no finding of axe but those of Swagger UI`, async () => {
      await page.setViewportSize({ width, height: 800 })
      await page.goto(`${gateway.url}/v1/docs`)
      await opened('post_orders')
      const rules = (await findingsIn(page)).map((finding) => finding.split(':')[0])
      expect(rules.filter((rule) => !ofSwaggerUi.includes(rule ?? ''))).to.deep.equal([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(width)
      const file = process.env.DOCS_PAGE_SCREENSHOT
      if (file !== undefined) await page.screenshot({ path: file.replace('.png', `-${width}.png`) })
    })

  it('sends a body', async () => {
    await page.goto(`${gateway.url}/v1/docs`)
    const block = await opened('post_orders')
    await block.locator('textarea').first().fill('{"id": "b8"}')
    await block.locator('button.execute').click()
    await block.locator('.live-responses-table .response').first().waitFor()
    expect(await block.locator('.live-responses-table').innerText()).to.contain('"b8"')
    expect(troubles).to.deep.equal([])
  })
})
