/** Documents that must be refused: sent as bytes to the admin listener; what was active stays active. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startGateway } from '#test/support/gateway.ts'
import { type BadInput, describeArea } from './cases.ts'
import { type Document, documentOf, operation } from './documents.ts'
import {
  ask,
  askUntilClosed,
  type ErrorBody,
  expectRefusal,
  get,
  jsonOf,
  portOf,
  post,
  RawClient,
} from './sockets.ts'

/** The version of com.t.a that is active; every bad one has another answer. */
const active = documentOf('com.t.a', {
  '/x': { get: operation({ type: 'static', body: 'before' }) },
})

const json = 'application/json'

/** What a note has between its first quotes: a pointer or a part of the message. */
function quotedIn({ expected: { note = '' } }: BadInput): string {
  const start = note.indexOf('"')
  return note.slice(start + 1, note.indexOf('"', start + 1))
}

/** The note's pointer, or its beginning where the note elides the rest, is that of the first issue. */
function expectPointer({ details = [] }: ErrorBody, entry: BadInput): void {
  const pointer = quotedIn(entry)
  expect(pointer).to.match(/^\//)
  const path = details[0]?.path ?? ''
  const [start = '', rest] = pointer.split('…')
  if (rest === undefined) expect(path, JSON.stringify(details)).to.equal(start)
  else expect(path, JSON.stringify(details)).to.satisfy((text: string) => text.startsWith(start))
  expect(details[0]?.message, 'message of the issue').to.be.a('string').and.not.equal('')
}

const dataDir = mkdtempSync(join(tmpdir(), 'gateway-bad-specs-'))

describeArea('spec', { data_dir: dataDir }, (area) => {
  const list = async () => jsonOf(await ask(area.adminPort, get('/api_specs')))
  const send = (body: string) => ask(area.adminPort, post('/api_specs', json, body))

  before(() => area.load(active))
  after(() => rmSync(dataDir, { recursive: true, force: true }))

  /** Does the bad thing; the store's documents and the answer of the active version are what they were. */
  async function changesNothing(bad: () => Promise<void>): Promise<void> {
    const stored = await list()
    await bad()
    expect(await list(), 'what is stored').to.deep.equal(stored)
    const answer = await ask(area.port, get('/v1/x'))
    expect(answer, 'the active version').to.include({ status: 200, body: '"before"' })
  }

  const withPointer = [
    ...[0, 1, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 27],
    ...[28, 30, 187, 188],
  ]
  for (const index of withPointer) {
    area.test(index, (entry) =>
      changesNothing(async () => {
        expectPointer(expectRefusal(await send(JSON.stringify(entry.input.body)), entry), entry)
      }),
    )
  }

  for (const index of [2, 4, 29]) {
    area.test(index, (entry) =>
      changesNothing(async () => {
        const { message } = expectRefusal(await send(entry.input.body_raw ?? ''), entry)
        expect(message).to.include(quotedIn(entry))
      }),
    )
  }

  area.test(15, async (entry) => {
    const other: Document = { ...active, id: 'com.t.b' }
    await changesNothing(async () => {
      const { message } = expectRefusal(await send(JSON.stringify(other)), entry)
      expect(message).to.include('com.t.a')
    })
    // the other order of arrival: the first one is served and named again
    await ask(area.adminPort, 'DELETE /api_specs/com.t.a HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await area.load(other)
    await changesNothing(async () => {
      const { message } = expectRefusal(await send(JSON.stringify(active)), entry)
      expect(message).to.include('com.t.b')
    })
    await ask(area.adminPort, 'DELETE /api_specs/com.t.b HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await area.load(active)
  })

  area.test(26, (entry) =>
    changesNothing(async () => {
      const client = new RawClient(area.adminPort)
      const head = `POST /api_specs HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${json}\r\n`
      client.send(`${head}Content-Length: 50000000\r\n\r\n`)
      // not a byte of the document has been sent
      const { message } = expectRefusal(await client.read(), entry)
      expect(message).to.include('4194304')
      client.close()

      const bytes = Buffer.from(`{"id":"a","meta":{"x":"${'x'.repeat(50_000_000)}"}}`)
      expectRefusal(await askUntilClosed(area.adminPort, post('/api_specs', json, bytes)), entry)

      const endless = new RawClient(area.adminPort)
      endless.send(`${head}Transfer-Encoding: chunked\r\n\r\n`)
      const chunk = `100000\r\n${' '.repeat(0x100000)}\r\n`
      for (let sent = 0; sent < 5; sent++) endless.send(chunk)
      expectRefusal(await endless.read(), entry)
      endless.close()
    }),
  )

  it('a gateway restarted on the same store has the good documents only', async () => {
    const stored = await list()
    expect(stored).to.have.length(2)
    await area.gateway.stop()
    const restarted = await startGateway({ data_dir: dataDir })
    const { adminUrl, url } = restarted
    try {
      expect(jsonOf(await ask(portOf(adminUrl), get('/api_specs')))).to.deep.equal(stored)
      expect(await ask(portOf(url), get('/v1/x'))).to.include({ status: 200, body: '"before"' })
    } finally {
      await restarted.stop()
    }
  })
})
