/** The live example in a browser: the counter counts in each window, the report tells how far it is, and streams end where the page says so. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { freePort } from '#test/support/free-port.ts'
import { until } from '#test/support/running/until.ts'
import { end, lineOf, shellLinesOf, type Typed, type } from '#test/support/typed.ts'
import { launchBrowser } from './chromium.ts'

/** What the page of the example says to type. */
const [start = ''] = shellLinesOf('examples/live/README.md')

describe('the live example in a browser', () => {
  let folder: string
  let origin: string
  let example: Typed | undefined
  let browser: Browser
  const pages: Page[] = []
  const troubles: string[] = []
  /** Of the answers so far: status and path. */
  const answers: string[] = []

  /** A window with the page, or with another path of the gateway. */
  const open = async (path = '/live') => {
    const page = await browser.newPage({ viewport: { width: 720, height: 640 } })
    pages.push(page)
    page.on('pageerror', (error) => troubles.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') troubles.push(message.text())
    })
    page.on('response', (response) => {
      answers.push(`${response.status()} ${new URL(response.url()).pathname}`)
    })
    await page.goto(`${origin}${path}`)
    return page
  }
  const textOf = (page: Page, id: string) => page.locator(id).textContent()
  /** Waits until an element has a text. */
  const shows = (page: Page, id: string, expected: string) =>
    until(`${id} shows ${expected}`, async () => (await textOf(page, id)) === expected)
  /** Waits until a report is under way. */
  const unfinished = (page: Page) =>
    page.locator('#report', { hasText: /^[1-9]0 % of the report$/ }).waitFor()

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-live-'))
    const [port, adminPort] = [await freePort(), await freePort()]
    origin = `http://127.0.0.1:${port}`
    const settings = {
      GATEWAY_GATEWAY__LISTEN: `127.0.0.1:${port}`,
      GATEWAY_ADMIN__LISTEN: `127.0.0.1:${adminPort}`,
      GATEWAY_DATA_DIR: folder,
      GATEWAY_LOG__LEVEL: 'warn',
    }
    const environment = Object.entries(settings).map(([name, value]) => `export ${name}=${value}\n`)
    example = type(`${environment.join('')}${start}`)
    await lineOf(example, /are registered$/)
    browser = await launchBrowser()
  })
  after(async () => {
    await browser?.close()
    await end(example)
    rmSync(folder, { recursive: true, force: true })
  })
  afterEach(async () => {
    expect(troubles).to.deep.equal([])
    for (const page of pages.splice(0)) await page.close()
    answers.length = 0
  })

  it('counts in each window, and tells a new one the last count at once', async () => {
    const [one, other] = [await open(), await open()]
    await shows(one, '#stream', 'open')
    for (const count of ['1', '2', '3']) {
      await (count === '2' ? other : one).locator('#add').click()
      await shows(one, '#count', count)
      await shows(other, '#count', count)
    }
    await shows(await open(), '#count', '3')
    const file = process.env.LIVE_SCREENSHOT
    if (file !== undefined) await one.screenshot({ path: file })
  })

  it('shows how far a report is, read by fetch', async () => {
    const page = await open()
    await page.evaluate(`
      window.seen = []
      new MutationObserver((records) => {
        const isStoppable = !document.querySelector('#stop').disabled
        for (const { addedNodes: [text] } of records) seen.push([text.data, isStoppable])
      }).observe(document.querySelector('#report'), { childList: true })`)
    await page.locator('#fetched').click()
    await shows(page, '#report', 'The report fetched has 10 pages.')
    const progress = Array.from({ length: 10 }, (_, step) => `${10 * (step + 1)} % of the report`)
    expect(await page.evaluate('seen')).to.deep.equal(
      [...progress, 'The report fetched has 10 pages.'].map((text) => [text, true]),
    )
    expect(await page.locator('#progress').getAttribute('value')).to.not.equal('0')
    expect(await page.locator('#stop').isDisabled()).to.equal(true)
  })

  it('shows how far a report is, read by EventSource, and does not build it again', async () => {
    const page = await open()
    await page.locator('#watched').click()
    await unfinished(page)
    await shows(page, '#report', 'The report watched has 10 pages.')
    await until('the browser has given up', () => page.locator('#watched').isEnabled())
    expect(answers.filter((answer) => answer.endsWith('/watched'))).to.deep.equal([
      '200 /reports/watched',
      '204 /reports/watched',
    ])
    expect(await textOf(page, '#report')).to.equal('The report watched has 10 pages.')
  })

  it('stops a report', async () => {
    const page = await open()
    for (const way of ['#fetched', '#watched']) {
      await page.locator(way).click()
      await unfinished(page)
      await page.locator('#stop').click()
      await shows(page, '#report', 'Stopped.')
      expect(await page.locator(way).isEnabled()).to.equal(true)
    }
  })

  it('closes a stream that is complete', async () => {
    const page = await open('/live?limit=1')
    await shows(page, '#stream', 'complete')
    expect(await textOf(page, '#count')).to.match(/^\d+$/)
  })
})
