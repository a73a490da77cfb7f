/** Each screen of the console, light and dark, wide and narrow: without serious findings of axe-core, and pictured; no link leads to a screen without a row. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'
import { type ConsoleTest, fixed, goTo, openConsole, orders, specOf } from './fixture.ts'

/** Where each screen is, and what is there once it is shown. */
const screens: readonly (readonly [name: string, place: string, shown: string])[] = [
  ['overview', 'overview', '.bar'],
  ['apis', 'apis', 'tbody tr'],
  ['document', 'apis/com.example.orders', '.paint .key'],
  ['routes', 'apis/com.example.orders/routes', 'tbody tr'],
  ['versions', 'apis/com.example.orders/versions', 'tbody tr'],
  ['openapi', 'apis/com.example.orders/openapi', '.paint .key'],
  ['examples', 'apis/com.example.orders/examples', '.badge.good'],
  ['procedures', 'apis/com.example.billing/procedures', 'tbody tr'],
  ['no-procedures', 'apis/com.example.orders/procedures', '.empty'],
  ['usage', 'apis/com.example.orders/usage', '.empty'],
  ['new', 'new', '.paint .key'],
  ['requests', 'requests', 'tbody tr'],
  ['try-empty', 'try', '.empty'],
  ['try', 'try/get/%2F%5Bv1%5D%2Forders%2F%3Aid', '.form'],
  ['deliveries', 'deliveries', '.empty'],
  ['realms', 'realms', 'tbody tr'],
  ['new-realm', 'new-realm', '.paint .key'],
  ['users', 'realms/com.example.shop', 'tbody tr'],
  ['user', 'realms/com.example.shop/users/=ada', '.paint .key'],
  ['groups', 'realms/com.example.shop/groups', '.rows li'],
  ['scopes', 'realms/com.example.shop/scopes', '.rows li'],
  ['grants', 'realms/com.example.shop/grants', 'tbody tr'],
  ['grant', 'realms/com.example.shop/grants/=0', '.paint .key'],
  ['upstreams', 'realms/com.example.shop/upstreams', 'tbody tr'],
  ['keys', 'realms/com.example.shop/keys', 'tbody tr'],
  ['logins', 'realms/com.example.shop/logins', '.empty'],
  ['sessions', 'realms/com.example.test/sessions', 'tbody tr'],
  ['nodes', 'nodes', 'tbody .good'],
  ['unknown', 'nothing-here', '.trouble'],
  ['sign-in', 'sign-in', '#credentials'],
]

/** The address of the stream of the gateway's events: while the page reads it, somebody is signed in. */
const events = '**/events'

/** The screens that a page links to. */
const links = `[...document.querySelectorAll('a[href^="#/"]')].map((link) => link.getAttribute('href'))`

/** The kind of a place: without the documents, realms and parts that it names. @param place as `realms/com.example/users/=ada` */
const kindOf = (place: string): string =>
  place
    .split('/')
    .map((part, index, [screen]) => (index === 0 || (index === 2 && screen !== 'try') ? part : '*'))
    .join('/')

const shop = {
  uri: 'com.example.shop',
  description: 'The shop',
  authmethods: ['anonymous', 'wampcra', 'password', 'oauth2'],
  groups: [{ name: 'staff' }, { name: 'backend' }],
  scopes: { 'orders:read': { roles: ['staff'], description: 'Reads orders' } },
  info: { upstreams: { billing: { targets: [{ url: 'http://127.0.0.1:9' }] } } },
  users: [
    { username: 'ada', password: 'correct horse battery', groups: ['staff'] },
    { username: 'shop', password: 'staple battery horse', groups: ['backend'] },
  ],
  grants: [
    { permissions: ['wamp.call'], roles: ['staff'], uri: 'com.example.', match: 'prefix' },
    { permissions: ['wamp.register'], roles: ['backend'], uri: 'com.example.', match: 'prefix' },
  ],
}

/** A document that registers a procedure. */
const billing = {
  ...{ id: 'com.example.billing', realm_uri: 'com.example.test' },
  procedures: { 'com.example.invoice.get': { callers: {}, action: { type: 'static', body: 7 } } },
}

/** The URL of a Grafana dashboard, with a choice of its own. */
const dashboard = 'https://grafana.example.com/d/wamp-gateway?var-job=shop'

/** Pictures of the docs are copied from here. */
const wanted = process.env.CONSOLE_PICTURES

describe('the screens of the console', function () {
  this.timeout(180_000)
  const folder = wanted ?? mkdtempSync(join(tmpdir(), 'console-'))
  let test: ConsoleTest
  let page: Page
  const linked = new Set<string>()

  before(async () => {
    mkdirSync(folder, { recursive: true })
    test = await openConsole({ 'admin.grafana': dashboard })
    const paths = { ...orders.versions['1.0'].paths, '/orders/:id/lines': { get: fixed([]) } }
    await test.load(test.second, specOf(orders.id, '/[v1]', paths))
    await send(test.first.adminUrl, '/realms', { method: 'POST', body: shop })
    await test.load(test.first, billing)
    const keys = '/realms/com.example.shop/users/shop/api_keys'
    await send(test.first.adminUrl, keys, { method: 'POST', body: { name: 'nightly reports' } })
    page = await test.open('overview')
    await page.locator('.tiles').waitFor()
    for (let round = 0; round < 4; round++) {
      await test.traffic(20)
      await page.waitForTimeout(1_000)
    }
  })
  after(async () => {
    await test?.close()
    if (wanted === undefined) rmSync(folder, { recursive: true })
  })
  beforeEach(() => test.traffic(5))
  afterEach(() => expect(test.troubles.splice(0)).to.deep.equal([]))

  for (const [place, href] of [
    ['overview', dashboard],
    ['apis/com.example.orders', `${dashboard}&var-api=com.example.orders`],
  ] as const) {
    it(`${place}: a link to the Grafana dashboard`, async () => {
      await goTo(page, place)
      const link = page.locator(`a[href="${href}"]`, { hasText: 'Grafana dashboard' })
      await link.waitFor()
      expect(await link.getAttribute('rel')).to.equal('noreferrer')
    })
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 360]) {
      for (const [name, place, shown] of screens) {
        it(`${name}: ${colorScheme}, ${width} px wide`, async () => {
          await page.emulateMedia({ colorScheme })
          await page.setViewportSize({ width, height: width === 360 ? 740 : 800 })
          if (name === 'sign-in') {
            await page.route(events, (route) => route.fulfill({ status: 401, json: {} }))
          }
          await goTo(page, place)
          if (name === 'sign-in') await page.reload()
          if (name === 'requests') {
            // requests are told from the moment when both nodes know that somebody watches
            await until('a request is told', async () => {
              await test.traffic(1)
              return (await page.locator(shown).count()) > 0
            })
          }
          if (name === 'try') await page.getByRole('button', { name: 'Explain' }).click()
          await page.locator(shown).first().waitFor()
          if (name === 'try') await page.getByText('Rules that hold').waitFor()
          const path = join(folder, `${name}-${colorScheme}-${width}.png`)
          await page.screenshot({ path })
          const { scrollWidth } = (await page.evaluate(
            '({ scrollWidth: document.documentElement.scrollWidth })',
          )) as { scrollWidth: number }
          expect(scrollWidth).to.be.at.most(width)
          expect(await test.findings(page)).to.deep.equal([])
          for (const href of (await page.evaluate(links)) as string[]) linked.add(href)
          if (name === 'sign-in') {
            await page.unroute(events)
            await page.reload()
          }
        })
      }
    }
  }

  it('link to no screen without a row', () => {
    const known = new Set(screens.map(([, place]) => kindOf(place)))
    // an API and a realm without the name of a tab show the first one
    const isKnown = (kind: string) => known.has(kind.replace(/[/](?:document|users)$/, ''))
    const kinds = [...linked].map((href) => kindOf(href.slice('#/'.length)))
    expect(kinds).to.include('realms/*/grants')
    expect([...new Set(kinds)].filter((kind) => !isKnown(kind))).to.deep.equal([])
  })
})
