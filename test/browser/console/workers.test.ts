/** The console in a browser, of a gateway of several workers: each is a node, and all of them are shown. */
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '#test/browser/chromium.ts'
import { type GatewayProcess, startGatewayProcess } from '#test/support/gateway-process.ts'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'
import { allAnswer } from '#test/support/worker-gateway.ts'
import { fixed, goTo, openPage, orders, specOf } from './fixture.ts'

const workers = 2
const names = Array.from({ length: workers }, (_, index) => `shop-${index + 1}`)

describe('the console of a gateway of 2 workers', () => {
  let gateway: GatewayProcess
  let browser: Browser
  let page: Page
  const troubles: string[] = []

  before(async () => {
    gateway = await startGatewayProcess({ node: 'shop', workers: String(workers) })
    await allAnswer(gateway, workers)
    await gateway.post('/api_specs', orders)
    browser = await launchBrowser()
  })
  after(async () => {
    await browser?.close()
    await gateway?.kill()
  })
  afterEach(async () => {
    await page?.close()
    expect(troubles.splice(0)).to.deep.equal([])
  })

  const open = (place: string) => openPage(browser, gateway, troubles, place)
  const ask = () => send(gateway.url, '/orders/7')

  it('shows each worker with its numbers', async () => {
    page = await open('nodes')
    for (const name of names)
      await page.locator('tr', { hasText: name }).getByText('ready', { exact: true }).waitFor()
    expect(await page.locator('tbody tr').count()).to.equal(workers)
  })

  it('shows the requests of all workers, and which routes any of them was asked for', async () => {
    page = await open('requests')
    for (const name of names) {
      await until(`a request of ${name} is told`, async () => {
        await ask()
        return (await page.locator('tr', { hasText: name }).count()) > 0
      })
    }
    await goTo(page, 'apis/com.example.orders/routes')
    const row = page.locator('tr', { hasText: '/[v1]/orders/:id' }).first()
    await row.getByText(/now|s ago/).waitFor()
  })

  it('shows a load at any worker as it is told of it, and an edit of it is one for all', async () => {
    page = await open('apis')
    await page.locator('tbody tr').first().waitFor()
    const loads = names.map((_, index) =>
      specOf(`com.example.n${index}`, `/n${index}`, { '/a': { get: fixed('x') } }),
    )
    for (const document of loads) {
      await gateway.post('/api_specs', document)
      await page.getByRole('link', { name: document.id }).waitFor()
    }
    await page.getByRole('link', { name: 'com.example.n0' }).click()
    const editor = page.locator('textarea')
    await editor.waitFor()
    await editor.fill((await editor.inputValue()).replace('"/a"', '"/b"'))
    await page.getByRole('button', { name: 'Load', exact: true }).click()
    await page.getByText('com.example.n0 is loaded.').waitFor()
    for (let times = 0; times < workers * 3; times++)
      expect((await send(gateway.url, '/n0/b')).status).to.equal(200)
  })
})
