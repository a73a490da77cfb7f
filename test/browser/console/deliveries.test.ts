/** The deliveries of the console: from the list to the event that was not taken, and what is done about it. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { deadEvent, deadPayload } from '#test/unit/delivery/memory-outbox.ts'
import { type ConsoleTest, goTo, openConsole } from './fixture.ts'

const delivery = {
  ...{ realm_uri: 'com.example.test', api_spec: 'com.example.hooks', name: 'orders' },
  ...{ topic: 'com.example.order.', match: 'prefix', state: 'stopped', reason: 'gone' },
  ...{ is_declared: true, pending: 3, dead: 1, oldest_at: 1_700_000_000_000, gaps: 1 },
  owner: null,
  has_endpoints: false,
}

const ofUsers = { ...delivery, name: 'parcels', state: 'active', reason: null, has_endpoints: true }

const endpoint = {
  ...{ id: 'ep_1', user: 'ada', url: 'https://ada.example/hooks', state: 'paused', reason: null },
  ...{ pending: 2, dead: 1, gaps: 0, created_at: '2026-11-28T12:00:00.000Z', is_permitted: false },
}

const gap = {
  ...{ reason: 'router_lost', count: null },
  ...{ since: '2026-11-28T12:00:00.000Z', until: '2026-11-28T12:00:05.000Z' },
}

describe('the deliveries of the console', () => {
  let test: ConsoleTest
  let page: Page
  const asked: string[] = []

  before(async () => {
    test = await openConsole()
    page = await test.open('overview')
    // the outbox has tests of its own: here is what it tells
    await page.route(/\/deliveries($|\?)|\/deliveries\/(orders|parcels)\//, (route) => {
      const request = route.request()
      const { pathname, search } = new URL(request.url())
      const verb = pathname.slice(pathname.lastIndexOf('/') + 1)
      const of = new URL(request.url()).searchParams.get('endpoint')
      if (request.method() !== 'GET') {
        asked.push([verb, request.postData(), of].filter((part) => part !== null).join(' '))
      }
      const answers: Readonly<Record<string, unknown>> = {
        deliveries: { deliveries: [delivery, ofUsers] },
        endpoints: { endpoints: [endpoint] },
        events: {
          ...{ delivery: of === null ? delivery : { ...ofUsers, ...endpoint }, gaps: [gap] },
          cursor: of === null ? null : 'c1',
          events: search.includes('dead') ? [deadEvent] : [],
        },
        [deadEvent.webhook_id]: { ...deadEvent, event: deadPayload },
        replay: { count: 1 },
        resume: { ...delivery, state: 'active', reason: null },
        drop: { count: 1 },
        test: { status: 410 },
      }
      return route.fulfill({ json: answers[verb] ?? {} })
    })
  })
  after(() => test?.close())
  afterEach(() => expect(test.troubles.splice(0)).to.deep.equal([]))

  it('lead from the list to the events of one, and why each was not taken', async () => {
    await page.getByRole('link', { name: 'Deliveries' }).click()
    const row = page.locator('tbody tr', { hasText: 'orders' })
    await row.getByText('gone').waitFor()
    await row.getByRole('link', { name: 'orders' }).click()
    await page.locator('tbody tr', { hasText: 'exhausted' }).getByText('503').waitFor()
    await page.locator('tbody tr', { hasText: 'router_lost' }).getByText('not known').waitFor()
    expect(await page.content()).not.to.include('4111')
  })

  it('show the payload of one event where it is asked for', async () => {
    await page.getByRole('button', { name: 'Show' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('4111').waitFor()
    expect(await test.dialogFindings(page, 'event')).to.deep.equal([])
    await dialog.getByRole('button', { name: 'Close' }).click()
  })

  it('are tested, resumed, and their events replayed', async () => {
    await page.getByRole('button', { name: 'Test' }).click()
    await page.getByText('The receiver of the test returned 410.').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('orders is resumed.').waitFor()
    await page.getByRole('button', { name: 'Replay all' }).click()
    await page.getByText('Queued to be sent now: 1.').waitFor()
    expect(asked).to.deep.equal(['test {}', 'resume {}', 'replay {"state":"dead"}'])
  })

  it('are dropped only when that is meant', async () => {
    await page.getByRole('button', { name: 'Drop all' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Keep' }).click()
    expect(asked.splice(0).filter((one) => one.startsWith('drop'))).to.deep.equal([])
    await page.getByRole('button', { name: 'Drop', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Drop' }).click()
    await page.getByText('Dropped: 1.').waitFor()
    expect(asked.splice(0)).to.deep.equal(['drop {"webhook_ids":["msg_1"]}'])
  })

  it('say so where there is none', async () => {
    await page.getByRole('link', { name: 'Pending', exact: true }).click()
    await page.getByText('No pending events.').waitFor()
  })

  it('have endpoints of users, each with its user, its state, and what is done to it alone', async () => {
    await page.getByRole('link', { name: 'Deliveries' }).first().click()
    await page.getByRole('link', { name: 'parcels' }).click()
    const row = page.locator('tbody tr', { hasText: 'ada.example' })
    await row.getByText('not permitted').waitFor()
    await row.getByRole('link', { name: 'ep_1' }).click()
    await page.locator('tbody tr', { hasText: 'exhausted' }).getByText('503').waitFor()
    await page.getByText('--state dead --endpoint ep_1').waitFor()
    await page.getByRole('button', { name: 'Test' }).click()
    await page.getByText('The receiver of the test returned 410.').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('ep_1 is resumed.').waitFor()
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByText('msg_1 is queued to be sent now.').waitFor()
    expect(asked.splice(0)).to.deep.equal([
      ...['test {} ep_1', 'resume {} ep_1', 'replay {"webhook_ids":["msg_1"]} ep_1'],
    ])
  })

  it('lose an endpoint only when that is meant', async () => {
    await page.getByRole('link', { name: 'parcels' }).click()
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Keep' }).click()
    expect(asked.splice(0)).to.deep.equal([])
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('ep_1 is removed.').waitFor()
    expect(asked.splice(0)).to.deep.equal(['ep_1'])
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1440, 390]) {
      for (const place of [
        ...['deliveries', 'deliveries/com.example.hooks/orders'],
        ...['endpoints', 'dead/ep_1'].map((part) => `deliveries/com.example.hooks/parcels/${part}`),
      ]) {
        it(`${place}: ${colorScheme}, ${width} px wide, without findings of axe`, async () => {
          await page.emulateMedia({ colorScheme })
          await page.setViewportSize({ width, height: 800 })
          await goTo(page, place)
          await page.locator('tbody tr').first().waitFor()
          const folder = process.env.CONSOLE_PICTURES
          const name = `${place.replaceAll('/', '-')}-${colorScheme}-${width}.png`
          if (folder) await page.screenshot({ path: `${folder}/${name}` })
          const { scrollWidth } = (await page.evaluate(
            '({ scrollWidth: document.documentElement.scrollWidth })',
          )) as { scrollWidth: number }
          expect(scrollWidth).to.be.at.most(width)
          expect(await test.findings(page)).to.deep.equal([])
        })
      }
    }
  }
})
