/** A form with five files, sent by Chromium: a procedure of a Python callee gets each file with its bytes, and the fields. */
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { type PythonPeer, startPythonPeer } from '#test/python/peer.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { launchBrowser } from './chromium.ts'

const realm = 'com.example.test'

/** Bytes that are no text, the last file larger than one read of a socket. */
const files = [0, 1, 100, 5_000, 300_000].map((length, index) => ({
  name: `pic ${index} "ü".png`,
  mimeType: 'image/png',
  buffer: Buffer.from(Array.from({ length }, (_, at) => (at * 7 + index) % 256)),
}))

const form = `<!doctype html><title>Album</title><form method="post" action="/albums" enctype="multipart/form-data">
  <input name="title"><input type="file" name="pictures" multiple><button>Send</button></form>`

const html = { type: 'static', body: form }
const plain = { on_result: {}, on_error: {} }

const album = {
  ...{ id: 'com.example.album', host: '_', realm_uri: realm },
  versions: {
    1: {
      base_path: '/',
      paths: {
        '/form': { get: { provides: ['text/html'], action: html, response: plain } },
        '/albums': {
          post: {
            accepts: ['multipart/form-data'],
            multipart: { files: 5, types: ['image/*'] },
            action: {
              ...{ type: 'wamp_call', procedure: 'com.example.py.echo' },
              args: ['{{request.body.title}}', '{{request.file_lists.pictures}}'],
            },
            response: { on_result: { body: '{{action.result.args}}' }, on_error: {} },
          },
        },
      },
    },
  },
}

describe('a form with five files in a browser', () => {
  let gateway: TestGateway
  let peer: PythonPeer
  let browser: Browser

  before(async () => {
    gateway = await startGateway({}, { isEmbedded: true })
    peer = await startPythonPeer(gateway.routerUrl, realm)
    const { status, body } = await gateway.load(album)
    expect(status, JSON.stringify(body)).to.equal(201)
    browser = await launchBrowser()
  })
  after(async () => {
    await browser?.close()
    await peer?.stop()
    await gateway?.stop()
  })

  for (const [count, status] of [
    [5, 200],
    [6, 413],
  ] as const) {
    it(`is ${status} with ${count} files`, async () => {
      const page = await browser.newPage()
      await page.goto(`${gateway.url}/form`)
      await page.locator('[name=title]').fill('Summer „26“')
      const more = Array.from({ length: count - files.length }, () => files[1] ?? files[0])
      await page.locator('[name=pictures]').setInputFiles([...files, ...more] as typeof files)
      const [response] = await Promise.all([
        page.waitForResponse(`${gateway.url}/albums`),
        page.getByRole('button', { name: 'Send' }).click(),
      ])
      expect(response.status(), await response.text()).to.equal(status)
      if (status !== 200) return
      const [title, pictures] = await response.json()
      expect(title).to.equal('Summer „26“')
      const read = pictures.map((one: Record<string, string>) => ({
        ...{ name: one.filename, mimeType: one.content_type },
        buffer: Buffer.from(String(one.content).slice(1), 'base64'),
      }))
      expect(read).to.deep.equal(files)
      await page.close()
    })
  }
})
