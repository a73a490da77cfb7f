/** A single-page application in Chromium on the gateway alone, with the document that docs/files.md ports from Crossbar.io: page, API and `/ws` have one origin. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { sectionsOf } from '#test/support/pages/blocks.ts'
import { launchBrowser } from './chromium.ts'

const realm = 'com.example.test'

/** The document under "From Crossbar.io", for the realm of the test. */
function portedDocument(): { readonly [key: string]: unknown } {
  const blocks = sectionsOf('docs/files.md').get('From Crossbar.io') ?? []
  const text = blocks.findLast(({ language }) => language === 'json')?.text ?? ''
  return { ...JSON.parse(text), realm_uri: realm }
}

const pages = {
  'index.html': '<!doctype html><title>App</title><h1></h1><script src="/assets/app.js"></script>',
  'assets/app.js': `
    const show = () => { document.querySelector('h1').textContent = location.pathname }
    globalThis.go = (path) => { history.pushState(null, '', path); show() }
    addEventListener('popstate', show)
    show()`,
  'assets/chunk.js': 'export const loaded = true',
}

/** Silence of four minutes, more than a browser reads ahead: WAV, 44,100 samples a second of 16 bits in two channels. */
function recording(): Buffer {
  const [rate, frame, seconds] = [44_100, 4, 240]
  const file = Buffer.alloc(44 + rate * frame * seconds)
  file.write('RIFF', 0)
  file.writeUInt32LE(file.length - 8, 4)
  file.write('WAVEfmt ', 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(2, 22)
  file.writeUInt32LE(rate, 24)
  file.writeUInt32LE(rate * frame, 28)
  file.writeUInt16LE(frame, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36)
  file.writeUInt32LE(file.length - 44, 40)
  return file
}

describe('a single-page application in a browser', () => {
  const root = mkdtempSync(join(tmpdir(), 'single-page-'))
  let gateway: TestGateway
  let browser: Browser
  let page: Page

  before(async () => {
    mkdirSync(join(root, 'assets'))
    for (const [name, text] of Object.entries(pages)) writeFileSync(join(root, name), text)
    writeFileSync(join(root, 'assets/recording.wav'), recording())
    gateway = await startGateway(
      { 'files.roots': JSON.stringify({ web: { path: root, realms: [realm] } }) },
      { isEmbedded: true },
    )
    const api = {
      ...{ id: 'com.example.api', host: '_', realm_uri: realm },
      versions: {
        1: {
          base_path: '/api',
          paths: {
            '/things/:id': {
              get: {
                action: { type: 'static', body: { id: '{{request.bindings.id}}' } },
                response: {},
              },
            },
          },
        },
      },
    }
    for (const document of [portedDocument(), api]) {
      const { status, body } = await gateway.load(document)
      expect([status, body.details]).to.deep.equal([201, undefined])
    }
    browser = await launchBrowser()
    page = await browser.newPage()
  })
  after(async () => {
    await browser?.close()
    await gateway?.stop()
    rmSync(root, { recursive: true })
  })

  /** What the page shows. */
  const shown = () => page.textContent('h1')

  it('has deep links that reload', async () => {
    await page.goto(`${gateway.url}/`)
    expect(await shown()).to.equal('/')
    await page.evaluate('go("/orders/7/lines")')
    expect(await shown()).to.equal('/orders/7/lines')
    const again = await page.reload()
    expect([again?.status(), await shown()]).to.deep.equal([200, '/orders/7/lines'])
    expect(again?.headers()['cache-control']).to.equal('max-age=43200')
    await page.goBack()
    await page.locator('h1').getByText('/', { exact: true }).waitFor()
  })

  it('has its API and the router at its own origin', async () => {
    await page.goto(`${gateway.url}/orders/7`)
    expect(await page.evaluate(async () => (await fetch('/api/things/7')).json())).to.deep.equal({
      id: '7',
    })
    const code = await page.evaluate(
      ([url, of]) =>
        new Promise((resolve, reject) => {
          const socket = new WebSocket(url, 'wamp.2.json')
          socket.onopen = () => socket.send(JSON.stringify([1, of, { roles: { caller: {} } }]))
          socket.onerror = () => reject(new Error('no WebSocket'))
          socket.onmessage = ({ data }) => {
            socket.close()
            resolve(JSON.parse(data)[0])
          }
        }),
      [`${gateway.url.replace('http', 'ws')}/ws`, realm] as const,
    )
    expect(code).to.equal(2)
  })

  it('gets 404 for a chunk that a deployment has removed, and no page', async () => {
    await page.goto(`${gateway.url}/orders/7`)
    const load = (query: string) =>
      page.evaluate(
        (url) =>
          import(url).then(
            () => 'loaded',
            () => 'not there',
          ),
        `/assets/chunk.js${query}`,
      )
    expect(await load('?1')).to.equal('loaded')
    rmSync(join(root, 'assets/chunk.js'))
    const answered = page.waitForResponse((response) => response.url().endsWith('chunk.js?2'))
    expect(await load('?2')).to.equal('not there')
    expect((await answered).status()).to.equal(404)
  })

  it('seeks in a recording by a part of its file', async () => {
    const parts: (readonly [status: number, first: number])[] = []
    page.on('response', (response) => {
      if (!response.url().endsWith('.wav')) return
      const [, first] = /^bytes (\d+)-/.exec(response.headers()['content-range'] ?? '') ?? []
      parts.push([response.status(), Number(first)])
    })
    await page.goto(`${gateway.url}/`)
    const at = await page.evaluate(`(async () => {
      const player = document.createElement('video')
      const heard = (event) =>
        new Promise((resolve) => player.addEventListener(event, resolve, { once: true }))
      const isKnown = heard('loadedmetadata')
      player.src = '/assets/recording.wav'
      await isKnown
      const isThere = heard('seeked')
      player.currentTime = 200
      await isThere
      return [player.currentTime, player.duration]
    })()`)
    expect(at).to.deep.equal([200, 240])
    expect(new Set(parts.map(([status]) => status))).to.deep.equal(new Set([206]))
    expect(Math.max(...parts.map(([, first]) => first))).to.be.at.least(30_000_000)
  })
})
