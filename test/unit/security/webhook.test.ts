/** Paths under `webhook`: as whom a message passes, what is counted, and when the body is read. */
import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { realm_uri, userNamed } from './doubles.ts'
import { refused, WebhookStage } from './webhook-doubles.ts'

const secret = "It's a Secret to Everybody"
const signed = (body: string, key = secret) => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', key).update(body).digest('hex')}`,
  'x-github-delivery': 'guid-1',
})
const message = (body = '{}', key = secret) => ({ headers: signed(body, key), body })
const github = { scheme: 'github', secret }

describe('a path under webhook', () => {
  it('lets a message pass as the user of its sender, with the roles of now', async () => {
    const stage = new WebhookStage({ ...github, username: 'ada' })
    expect(await stage.ask(message())).to.deep.equal({
      realm_uri,
      authid: 'ada',
      username: 'ada',
      authmethod: 'webhook',
      authroles: ['staff', 'buyers'],
      groups: ['staff', 'buyers'],
      meta: { locale: 'de', age: 7 },
      locale: 'de',
      webhook_id: 'guid-1',
    })
    stage.logins.change({ ada: userNamed('ada', ['robots']) }, '')
    expect(await stage.ask(message())).to.deep.include({ authroles: ['robots'] })
    stage.logins.change({}, '')
    expect(await stage.ask(message())).to.deep.equal(refused)
  })

  it('lets a message pass as anonymous where the sender has no user', async () => {
    expect(await new WebhookStage(github).ask(message())).to.deep.equal({
      realm_uri,
      authid: 'anonymous',
      authmethod: 'anonymous',
      authroles: ['anonymous'],
      groups: [],
      meta: {},
      webhook_id: 'guid-1',
    })
  })

  it('names no message that its sender does not name', async () => {
    const { 'x-github-delivery': _id, ...headers } = signed('x')
    const identity = await new WebhookStage(github).ask({ headers, body: 'x' })
    expect(identity).not.to.have.any.keys('webhook_id', 'webhook_timestamp')
  })

  it('names no event of Stripe whose id no header could have', async () => {
    for (const id of ['a\nb', '', 5, null, 'x'.repeat(256)]) {
      const body = JSON.stringify({ id })
      const v1 = createHmac('sha256', 'key').update(`0.${body}`).digest('hex')
      const stage = new WebhookStage({ scheme: 'stripe', secret: 'key' })
      const identity = await stage.ask({ headers: { 'stripe-signature': `t=0,v1=${v1}` }, body })
      expect(identity).to.have.property('webhook_timestamp', 0)
      expect(identity).not.to.have.property('webhook_id')
    }
  })

  it('reads no body whose header fields are refused', async () => {
    const stage = new WebhookStage({ scheme: 'standard', secret }, 1000)
    const fields = { 'webhook-id': 'a', 'webhook-timestamp': '1', 'webhook-signature': 'v1,aa' }
    for (const headers of [{}, fields, { ...fields, 'webhook-id': '' }]) {
      expect(await stage.ask({ headers })).to.deep.equal(refused)
    }
    const encoded = { ...signed('x'), 'content-encoding': 'gzip' }
    expect(await new WebhookStage(github).ask({ headers: encoded })).to.deep.include(415)
    expect(stage.reads).to.equal(0)
  })

  it('counts failures by address, and those without a signature not at all', async () => {
    const stage = new WebhookStage(github, 0, 2)
    for (let i = 0; i < 5; i += 1) expect(await stage.ask({ headers: {} })).to.deep.equal(refused)
    expect(await stage.ask(message('x'), 'nobody')).to.deep.equal(refused)
    expect(stage.attempts.failures).to.deep.equal([])
    for (let i = 0; i < 2; i += 1) {
      expect(await stage.ask(message('{}', 'wrong'))).to.deep.equal(refused)
    }
    expect(await stage.ask(message('{}', 'wrong'))).to.deep.include(429)
    expect(await stage.ask(message()), 'is locked out by nobody').to.have.property('authid')
  })

  it('follows a change of its sender, and of the file of a secret within a minute', async () => {
    const stage = new WebhookStage({ scheme: 'github', secret: { file: '/x' } }, 0)
    let content = 'one'
    stage.openSecret = async () => content
    expect(await stage.ask(message('{}', 'one'))).to.have.property('authid')
    content = 'two'
    expect(await stage.ask(message('{}', 'one'))).to.have.property('authid')
    stage.now = 60
    expect(await stage.ask(message('{}', 'one'))).to.deep.equal(refused)
    expect(await stage.ask(message('{}', 'two'))).to.have.property('authid')
    stage.senders = { it: github }
    stage.openSecret = async (_realm, value) => String(value)
    expect(await stage.ask(message())).to.have.property('authid')
  })

  it('answers 503 where no secret can be read, and never lets a message pass by an empty one', async () => {
    const stage = new WebhookStage({ scheme: 'github', secrets: ['one', 'two'] })
    for (const open of [
      async () => undefined,
      async () => '',
      () => Promise.reject(new Error('ENOENT')),
    ]) {
      stage.openSecret = open
      expect(await stage.ask(message('{}', ''))).to.deep.include(503)
    }
    expect(await new WebhookStage({ scheme: 'github' }).ask(message('{}', ''))).to.deep.include(503)
    expect(stage.attempts.failures).to.deep.equal([])
  })

  it('judges a message once more without its time, and counts nothing', async () => {
    const body = '{"id":"evt_1"}'
    const text = createHmac('sha256', 'key').update(`1000.${body}`).digest('hex')
    const stage = new WebhookStage({ scheme: 'stripe', secret: 'key' }, 1000)
    const sent = { headers: { 'stripe-signature': `t=1000,v1=${text}` }, body }
    const first = await stage.ask(sent)
    stage.now = 10_000
    expect(await stage.ask(sent)).to.deep.equal(refused)
    expect(await stage.ask(sent, 'it', true)).to.deep.equal(first)
    stage.senders = { it: { scheme: 'stripe', secret: 'other' } }
    expect(await stage.ask(sent, 'it', true)).to.deep.equal(refused)
    expect(stage.attempts.failures).to.have.length(1)
  })

  for (const [what, entry] of [
    ['of an unknown scheme', { scheme: 'md5', secret }],
    ['that is no map', 'github'],
  ] as const) {
    it(`refuses everything of a sender ${what}`, async () => {
      expect(await new WebhookStage(entry).ask(message())).to.deep.equal(refused)
    })
  }

  for (const name of ['__proto__', 'constructor', 'toString', '']) {
    it(`has no sender ${JSON.stringify(name)}`, async () => {
      expect(await new WebhookStage(github).ask(message(), name)).to.deep.equal(refused)
    })
  }
})
