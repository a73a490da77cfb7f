/** Twelve tabs with a stream each, of a gateway that speaks HTTP/2 itself: over HTTP/1.1 the seventh would wait. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { postJson } from '#test/cluster/cluster.ts'
import { writeCertificate } from '#test/support/certificate.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { until } from '#test/support/running/until.ts'
import { launchBrowser } from './chromium.ts'

const example = join(import.meta.dirname, '../../examples/live')
const json = (file: string) => JSON.parse(readFileSync(join(example, file), 'utf8'))

describe('twelve tabs of the live example over HTTP/2', () => {
  let folder: string
  let origin: string
  let gateway: TestGateway
  let backend: ChildProcess | undefined
  let browser: Browser
  let context: BrowserContext

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-tabs-'))
    const { cert, key } = writeCertificate(folder)
    const settings = { 'gateway.tls.cert': cert, 'gateway.tls.key': key }
    gateway = await startGateway(
      { ...settings, 'router.listen': '127.0.0.1:0' },
      { isEmbedded: true },
    )
    origin = gateway.url
    const { status } = await postJson(`${gateway.adminUrl}/services/load_realm`, json('realm.json'))
    expect(status).to.equal(201)
    await gateway.mustLoad(json('api-spec.json'))
    const words = [join(example, 'backend.ts'), gateway.routerUrl]
    backend = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    if (backend.stdout) await once(backend.stdout, 'data')
    browser = await launchBrowser()
    context = await browser.newContext({ ignoreHTTPSErrors: true })
  })
  after(async () => {
    await browser?.close()
    backend?.kill()
    await gateway?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const open = async () => {
    const page = await context.newPage()
    await page.goto(`${origin}/live`)
    return page
  }
  const shows = (page: Page, id: string, expected: string) =>
    until(
      `${id} shows ${expected}`,
      async () => (await page.locator(id).textContent()) === expected,
    )

  it('get every event, and a WebSocket opens beside them', async () => {
    const pages: Page[] = []
    while (pages.length < 12) pages.push(await open())
    const [first] = pages
    if (first === undefined) throw new Error('there is no tab')
    for (const page of pages) await shows(page, '#stream', 'open')
    for (const count of ['1', '2', '3']) {
      await first.locator('#add').click()
      for (const page of pages) await shows(page, '#count', count)
    }
    const protocols = await Promise.all(
      pages.map((page) =>
        page.evaluate(() => performance.getEntries()[0]?.toJSON().nextHopProtocol),
      ),
    )
    expect(new Set(protocols)).to.deep.equal(new Set(['h2']))
    const opened = await first.evaluate(
      (url) =>
        new Promise((resolve) => {
          const socket = new WebSocket(url, 'wamp.2.json')
          socket.onopen = () => resolve(socket.protocol)
          socket.onerror = () => resolve('failed')
        }),
      `${origin.replace('https', 'wss')}/ws`,
    )
    expect(opened).to.equal('wamp.2.json')
  })
})
