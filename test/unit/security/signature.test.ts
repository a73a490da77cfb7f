/** Signed messages as senders publish them; and that nothing of what is signed can be changed. */
import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { type WebhookCase, webhookCases } from '#test/cases/webhooks.ts'
import { type Message, refused, WebhookStage } from './webhook-doubles.ts'

const now = 1_700_000_000

/** A message that the library of the standard signs. */
function standardMessage(id: string, body: string, key = randomBytes(32)) {
  const secret = `whsec_${key.toString('base64')}`
  const signature = new Webhook(secret).sign(id, new Date(now * 1000), body)
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(now),
    'webhook-signature': signature,
  }
  return { secret, headers, body }
}

/** The members of a header that are signed, or sign. */
const signedFields = ({ sender, headers }: Pick<WebhookCase, 'sender' | 'headers'>) =>
  Object.keys(headers).filter((name) => sender.scheme === 'standard' || name.includes('signature'))

const isText = (bytes: Buffer): boolean => bytes.every((byte) => byte >= 0x20 && byte < 0x7f)

/** The same bytes with one bit changed. */
function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return copy
}

/** Every message that differs in one bit of its body or of a header of its signature, and that a client can send. */
function* neighbours(message: Required<Message>, fields: readonly string[]): Generator<Message> {
  const body = Buffer.from(message.body)
  for (let bit = 0; bit < body.length * 8; bit += 1) {
    yield { ...message, body: flipped(body, bit) }
  }
  for (const name of fields) {
    const bytes = Buffer.from(message.headers[name] ?? '')
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = flipped(bytes, bit)
      // the parser takes blanks at the ends away
      if (isText(changed))
        yield { ...message, headers: { ...message.headers, [name]: changed.toString().trim() } }
    }
  }
}

/** Changes that pass, of all that there are. */
async function passing(stage: WebhookStage, message: Required<Message>, fields: readonly string[]) {
  let tried = 0
  const passed: Message[] = []
  for (const other of neighbours(message, fields)) {
    tried += 1
    if (JSON.stringify(await stage.ask(other)) !== JSON.stringify(refused)) passed.push(other)
  }
  return { tried, passed }
}

describe('signatures of webhooks', () => {
  for (const { what, sender, headers, body, id, timestamp, now: at } of webhookCases) {
    it(`pass: ${what}`, async () => {
      expect(await new WebhookStage(sender, at).ask({ headers, body })).to.deep.include({
        authid: 'anonymous',
        authmethod: 'anonymous',
        ...(id !== undefined && { webhook_id: id }),
        ...(timestamp !== undefined && { webhook_timestamp: timestamp }),
      })
    })

    it(`are refused after any change of one bit: ${what}`, async () => {
      const stage = new WebhookStage(sender, at)
      // v0 of Stripe is of no account
      const { v0 = '' } = /(?<v0>,v0=.*)/.exec(headers['stripe-signature'] ?? '')?.groups ?? {}
      const plain = Object.entries(headers).map(([name, value]) => [name, value.replace(v0, '')])
      const message = { headers: Object.fromEntries(plain), body }
      const { tried, passed } = await passing(stage, message, signedFields({ sender, headers }))
      expect(passed).to.deep.equal([])
      expect(tried).to.be.greaterThan(body.length * 8 + 64 * 3)
    })
  }

  it('of the library of Standard Webhooks pass, whatever is signed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.stringMatching(/^[!-\-/-~]{1,60}$/),
        fc.uint8Array({ minLength: 24, maxLength: 64 }),
        async (body, id, key) => {
          const { secret, ...message } = standardMessage(id, body, Buffer.from(key))
          const stage = new WebhookStage({ scheme: 'standard', secret }, now)
          expect(await stage.ask(message)).to.deep.include({
            webhook_id: id,
            webhook_timestamp: now,
          })
        },
      ),
      { numRuns: 50 },
    )
  })

  it('of the library of Standard Webhooks are refused after any change of one bit', async () => {
    const { secret, ...message } = standardMessage('msg_1', '{"a":1,"b":"ü"}')
    const stage = new WebhookStage({ scheme: 'standard', secret }, now)
    const fields = Object.keys(message.headers)
    expect((await passing(stage, message, fields)).passed).to.deep.equal([])
  })

  it('of a private key pass by its public key (v1a), and are refused after any change of one bit', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
    const body = '{"a":1}'
    const signature = sign(null, Buffer.from(`msg_1.${now}.${body}`), privateKey)
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(now),
      'webhook-signature': `v1a,${signature.toString('base64')}`,
    }
    const secret = `whpk_${raw.toString('base64')}`
    const stage = new WebhookStage({ scheme: 'standard', secret }, now)
    expect(await stage.ask({ headers, body })).to.deep.include({ webhook_id: 'msg_1' })
    const { passed } = await passing(stage, { headers, body }, Object.keys(headers))
    expect(passed).to.deep.equal([])
  })

  it('are of the kind of their key: v1 is not tried with a public key, nor v1a with a shared one', async () => {
    const { secret, ...message } = standardMessage('msg_1', 'x')
    const field = message.headers['webhook-signature'].replace('v1,', 'v1a,')
    const headers = { ...message.headers, 'webhook-signature': field }
    const stage = new WebhookStage({ scheme: 'standard', secret }, now)
    expect(await stage.ask({ ...message, headers })).to.deep.equal(refused)
    const { publicKey } = generateKeyPairSync('ed25519')
    const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
    stage.senders = { it: { scheme: 'standard', secret: `whpk_${raw.toString('base64')}` } }
    expect(await stage.ask(message)).to.deep.equal(refused)
  })

  for (const algorithm of ['sha256', 'sha384', 'sha512'] as const) {
    for (const encoding of ['hex', 'base64'] as const) {
      it(`of hmac are ${algorithm} in ${encoding} behind a prefix`, async () => {
        const made = createHmac(algorithm, 'key').update('body').digest(encoding)
        const sender = {
          ...{ scheme: 'hmac', header: 'x-sig', secret: 'key' },
          ...{ algorithm, encoding, prefix: 'v=' },
        }
        const stage = new WebhookStage(sender)
        const message = { headers: { 'x-sig': `v=${made}` }, body: 'body' }
        expect(await stage.ask(message)).to.have.property('authid', 'anonymous')
        expect(await stage.ask({ ...message, headers: { 'x-sig': made } })).to.deep.equal(refused)
        expect((await passing(stage, message, ['x-sig'])).passed).to.deep.equal([])
      })
    }
  }

  it('suffice by any one of several secrets', async () => {
    const { secret, ...message } = standardMessage('msg_1', 'x')
    const other = standardMessage('msg_1', 'x').secret
    for (const secrets of [[secret], [secret, other], [other, secret]]) {
      const stage = new WebhookStage({ scheme: 'standard', secrets }, now)
      expect(await stage.ask(message)).to.have.property('authid', 'anonymous')
    }
    const stage = new WebhookStage({ scheme: 'standard', secret: other, secrets: [secret] }, now)
    expect(await stage.ask(message)).to.have.property('authid', 'anonymous')
  })
})
