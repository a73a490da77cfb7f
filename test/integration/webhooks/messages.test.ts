/** Webhooks that pass: what expressions read of them, and their bodies on every way through the gateway. */
import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { send } from '#test/support/http-request.ts'
import { githubField, type HookGateway, startHooks } from './gateway.ts'

const type = { 'content-type': 'application/json' }

describe('webhooks', () => {
  let hooks: HookGateway
  before(async () => {
    hooks = await startHooks()
  })
  after(() => hooks.stop())

  it('of Standard Webhooks pass as the user of the sender, with id and timestamp', async () => {
    const body = '{"type":"user.created"}'
    const answer = await hooks.post('/v1/standard', { headers: hooks.standard(body), body })
    expect([answer.status, answer.json()]).to.deep.equal([
      200,
      {
        ...{ authid: 'hook', id: 'msg_1', timestamp: hooks.now, sender: 'standard' },
        body: { type: 'user.created' },
      },
    ])
  })

  it('of Stripe pass by each of its secrets, and are named by their event', async () => {
    const body = '{"id":"evt_1","object":"event"}'
    for (const secret of ['whsec_new', 'whsec_old']) {
      const v1 = createHmac('sha256', secret).update(`${hooks.now}.${body}`).digest('hex')
      const headers = {
        ...type,
        'stripe-signature': `t=${hooks.now},v1=${'0'.repeat(64)},v1=${v1}`,
      }
      const answer = await hooks.post('/v1/stripe', { headers, body })
      expect(answer.json()).to.deep.include({
        ...{ authid: 'anonymous', id: 'evt_1', timestamp: hooks.now },
      })
    }
  })

  it('of GitHub pass, and are named by their delivery', async () => {
    const headers = {
      ...{ ...type, 'x-hub-signature-256': githubField('{}'), 'x-github-delivery': 'guid' },
    }
    const answer = await hooks.post('/v1/github', { headers, body: '{}' })
    expect(answer.json()).to.deep.include({ id: 'guid', timestamp: 'none', body: {} })
  })

  it('of GitHub as a form pass: it is the bytes that are signed', async () => {
    const body = 'payload=%7B%22zen%22%3A%22Keep+it+logically+awesome.%22%7D'
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-hub-signature-256': githubField(body),
    }
    // the path does not accept forms: the signature is judged before
    expect((await hooks.post('/v1/github', { headers, body })).status).to.equal(415)
    expect((await hooks.post('/v1/github', { headers, body: `${body}+` })).status).to.equal(401)
  })

  it('pass in chunks', async () => {
    const body = JSON.stringify({ text: 'ü'.repeat(30_000) })
    const headers = { ...hooks.standard(body), 'transfer-encoding': 'chunked' }
    const answer = await hooks.post('/v1/standard', { headers, body })
    expect(answer.json()).to.deep.include({ body: JSON.parse(body) })
  })

  it('are forwarded as they were sent, of any type, and with their length', async () => {
    const body = '{ "a" : 1 }\n'
    const forward = (more: object) =>
      hooks.post('/v1/forward', { headers: { ...hooks.standard(body), ...more }, body })
    expect((await forward({})).text).to.equal('ok')
    expect((await forward({ 'transfer-encoding': 'chunked' })).text).to.equal('ok')
    expect((await forward({ 'content-type': 'application/cloudevents' })).text).to.equal('ok')
    expect((await forward({ 'webhook-id': 'other' })).status).to.equal(401)
    const empty = await hooks.post('/v1/forward', { headers: hooks.standard('') })
    expect(empty.text).to.equal('ok')
    expect(hooks.forwarded).to.deep.equal([
      ...Array(3).fill(`POST ${body.length} ${body}`),
      'POST 0 ',
    ])
  })

  it('are no OPTIONS: a preflight is never secured', async () => {
    const answer = await send(hooks.gateway.url, '/v1/github', { method: 'OPTIONS' })
    expect(answer.status).to.equal(204)
  })

  it('are explained: a signature over the described body passes, and another does not', async () => {
    const explain = async (body: string, signed = body) => {
      const headers = hooks.standard(signed)
      const request = { method: 'post', path: '/v1/standard', headers, body }
      const asked = { method: 'POST', body: { request } }
      const answer = await send(hooks.gateway.adminUrl, '/explain', asked)
      const { checks, response } = answer.json() as {
        checks: { step: string; passed: boolean }[]
        response: { status: number }
      }
      return [response.status, checks.find(({ step }) => step === 'security')?.passed]
    }
    expect(await explain('{"a":1}')).to.deep.equal([200, true])
    expect(await explain('{"a":1}', '{}')).to.deep.equal([401, false])
  })

  it('of many at once pass each by its own body', async () => {
    const bodies = Array.from({ length: 50 }, (_, index) => JSON.stringify({ index }))
    const answers = await Promise.all(
      bodies.map((body, index) =>
        hooks.post('/v1/standard', {
          headers: hooks.standard(index % 2 === 0 ? body : `${body} `),
          body,
        }),
      ),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal(
      bodies.map((_, index) => (index % 2 === 0 ? 200 : 401)),
    )
  })
})
