/** Small bodies, however they come: with their head, after it, in pieces, in chunks, or behind another request. */
import { expect } from 'chai'
import { Quota } from '#component/limits/quota.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { type Fixture, open, post, RawClient } from './fixture.ts'

const get = 'GET /v1/x HTTP/1.1\r\nHost: localhost\r\n\r\n'
const json = (value: unknown): Buffer => post('/v1/x', 'application/json', JSON.stringify(value))

describe('a small body', () => {
  let fixture: Fixture
  let client: RawClient
  let budget: Quota

  beforeEach(async () => {
    budget = new Quota(4_000_000)
    fixture = await open({ budget })
    client = new RawClient(fixture.port)
  })
  afterEach(async () => {
    client.close()
    await fixture.stop()
  })

  /** The connection serves another request, and nothing is held. */
  const goesOn = async () => {
    client.send(get)
    expect((await client.read()).body).to.equal('{"ok":true}')
    await untilHolds(() => budget.used === 0)
  }

  it('comes with its head, request after request', async () => {
    for (let count = 0; count < 3; count++) {
      client.send(json({ count }))
      expect((await client.read()).body).to.equal(JSON.stringify({ count }))
    }
    await goesOn()
  })

  it('comes in two pieces, wherever it is cut', async () => {
    const whole = json({ text: 'ü' })
    const head = whole.indexOf('\r\n\r\n') + 4
    for (const cut of [head - 1, head, head + 1, whole.indexOf('ü') + 1, whole.length - 1]) {
      client.send(whole.subarray(0, cut))
      await new Promise((resolve) => setTimeout(resolve, 5))
      client.send(whole.subarray(cut))
      const { body } = await client.read()
      expect(Buffer.from(body, 'latin1').toString(), `cut at ${cut}`).to.equal('{"text":"ü"}')
    }
    await goesOn()
  })

  it('comes in chunks, all in one piece', async () => {
    const fields = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n'
    const chunks = '4\r\n[1,2\r\n3\r\n,3]\r\n0\r\n\r\n'
    client.send(`POST /v1/x HTTP/1.1\r\nHost: localhost\r\n${fields}\r\n${chunks}`)
    expect((await client.read()).body).to.equal('[1,2,3]')
    await goesOn()
  })

  it('comes with others behind it, which are answered in order', async () => {
    client.send(Buffer.concat([json(1), json([2]), Buffer.from(get), json('3')]))
    const bodies: string[] = []
    while (bodies.length < 4) bodies.push((await client.read()).body)
    expect(bodies).to.deep.equal(['1', '[2]', '{"ok":true}', '"3"'])
    await goesOn()
  })

  it('is refused where too many bytes are held, and the client gets its answer', async () => {
    await fixture.stop()
    budget = new Quota(0)
    fixture = await open({ budget })
    client = new RawClient(fixture.port)
    client.send(json(1))
    expect((await client.read()).status).to.equal(503)
    expect(budget.used).to.equal(0)
  })
})
