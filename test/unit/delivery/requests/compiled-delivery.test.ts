/** What a delivery makes of events: whether they are wanted, the request of each attempt, and its signatures. */
import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { ActionFields, Outcome, Run } from '#component/action/action.ts'
import { errorOf } from '#component/action/action.ts'
import { compileDocument } from '#component/compile/compile-document.ts'
import { retryAfterMs } from '#component/delivery/requests/compiled-delivery.ts'
import { deliveryOf } from '#component/delivery/requests/delivery-of.ts'
import { isDeliveryEntry } from '#component/delivery/requests/plan.ts'
import { Signers } from '#component/delivery/requests/signers.ts'
import type { AttemptEnd, DeliveredEvent, DeliveryAttempt } from '#component/delivery/types.ts'
import { ServiceError } from '#component/errors.ts'
import { Senders } from '#component/security/webhook/senders.ts'
import { isSignedBy, readClaim } from '#component/security/webhook/signature.ts'
import { decodeBody, encodeBody } from '#http/codec.ts'
import { compilePorts } from '#test/unit/explain/rehearse.ts'
import { noUsers } from './no-users.ts'

const realm_uri = 'com.example'

const event: DeliveredEvent = {
  topic: 'com.example.order.created',
  args: [1],
  kwargs: { id: 'o/1', amount: 12, note: 'ä', name: 'o1', paid: true, sent: false },
  details: {},
  publication: '42',
  accepted_at: '2026-11-28T12:00:00.000Z',
}

const attempt: DeliveryAttempt = { attempt: 2, webhook_id: 'msg_abc', now: 1_764_331_200_500 }

const to = { url: 'https://shop.example.com/hooks' }

/** What a forward was told. */
interface Told {
  readonly fields: ActionFields
  readonly run: Run
}

const answered: Outcome = {
  result: {},
  answer: { status_code: 204, headers: {}, body: new Uint8Array(), length: 0 },
}

/** A delivery whose forward tells what it gets. */
function deliveryWith(
  delivery: object,
  {
    signers = {},
    outcome = answered as Outcome | ServiceError,
    upstream = undefined as readonly string[] | undefined,
  } = {},
) {
  const { api, issues } = compileDocument(
    {
      id: 'a',
      realm_uri,
      deliveries: { orders: { topic: 'com.example.', match: 'prefix', to, ...delivery } },
    },
    compilePorts,
  )
  const plan = api?.entries.find(isDeliveryEntry)?.delivery
  if (!plan) throw new TypeError(JSON.stringify(issues))
  const told: Told[] = []
  const realms = {
    realm: () => ({ info: { webhook_signers: signers, webhook_senders: {} } }),
    openSecret: async (_realm: string, secret: unknown) => secret,
    secretOrigins: () => [],
  }
  const compiled = deliveryOf(plan, {
    signers: new Signers({ realms, clock: { now: () => attempt.now } } as never),
    async perform(fields, run) {
      told.push({ fields, run })
      if (outcome instanceof Error) throw outcome
      return outcome
    },
    upstreamOrigins: () => upstream,
    codec: { decode: decodeBody, encode: encodeBody },
    random: () => 0,
    ofUsers: noUsers,
  })
  return { compiled, told }
}

async function sent(...given: Parameters<typeof deliveryWith>) {
  const { compiled, told } = deliveryWith(...given)
  const request = compiled.request(event, attempt)
  if ('failed' in request) throw new Error(request.failed)
  const end = await request.send(new AbortController().signal)
  const [one] = told
  const { headers = {}, ...fields } = (one?.fields ?? {}) as Record<string, unknown>
  return { end, fields, headers: headers as Record<string, string>, run: one?.run }
}

const textOf = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString()

describe('the request of a delivery', () => {
  it('is a POST of type, timestamp and data by default', async () => {
    const { fields, headers, end, run } = await sent({})
    expect(end).to.deep.equal({ status: 204 })
    const { body, ...rest } = fields
    expect(rest).to.deep.equal({
      ...{
        host: 'https://shop.example.com',
        http_method: 'post',
        path: '/hooks',
        query_string: '',
      },
    })
    expect(JSON.parse(textOf(body))).to.deep.equal({
      type: event.topic,
      timestamp: event.accepted_at,
      data: event.kwargs,
    })
    expect(headers).to.deep.equal({
      'content-type': 'application/json',
      'webhook-id': 'msg_abc',
      'webhook-timestamp': '1764331200',
    })
    expect(run?.computed.has('host')).to.equal(false)
    expect(run?.attempts).to.deep.include({ timeout: 15_000, connect_timeout: 5_000, retries: 0 })
  })

  const rendered: readonly (readonly [what: string, delivery: object, expected: object])[] = [
    [
      'the attempt in a header',
      { to: { ...to, headers: { 'X-Attempt': '{{delivery.attempt |> string}}' } } },
      { headers: { 'x-attempt': '2' } },
    ],
    [
      'a value in the path, encoded',
      {
        to: {
          url: 'https://shop.example.com/{{action.event.kwargs.note}}?a={{action.event.kwargs.id}}',
        },
      },
      { path: '/%C3%A4?a=o%2F1' },
    ],
    ['an upstream', { to: { upstream: 'shop', path: '/x' } }, { upstream: 'shop', path: '/x' }],
    ['another method', { to: { ...to, method: 'put' } }, { http_method: 'put' }],
    [
      'a text',
      {
        to: { ...to, headers: { 'content-type': 'text/plain' } },
        body: 'a {{action.event.kwargs.note}}',
      },
      { body: 'a ä' },
    ],
    [
      'another body',
      { body: { attempt: '{{delivery.attempt}}', id: '{{delivery.webhook_id}}' } },
      { body: '{"attempt":2,"id":"msg_abc"}' },
    ],
  ]
  for (const [what, delivery, expected] of rendered) {
    it(`has ${what}`, async () => {
      const { fields, headers } = await sent(delivery)
      const found = { ...fields, body: textOf(fields.body) }
      const { headers: wanted = {}, ...others } = expected as { headers?: object }
      expect(found).to.deep.include(others)
      expect(headers).to.deep.include(wanted)
    })
  }

  it('goes to a host that the event decides as one that is computed', async () => {
    const url = 'https://{{action.event.kwargs.name}}.example.com/a/../b'
    const { fields, run } = await sent({ to: { url } })
    expect(fields).to.deep.include({ host: 'https://o1.example.com', path: '/b' })
    expect(run?.computed.has('host')).to.equal(true)
  })

  const failing: readonly (readonly [what: string, delivery: object, sentence: string])[] = [
    [
      'a slash in a path',
      { to: { url: 'https://shop.example.com/{{action.event.kwargs.id}}' } },
      'path: a value of the request holds a slash',
    ],
    [
      'a URL that is none',
      { to: { url: '{{action.event.kwargs.note}}' } },
      'to: url: expected a URL',
    ],
    [
      'a URL with a user',
      { to: { url: 'https://u@{{action.event.kwargs.note}}.de/' } },
      'to: url: expected a URL',
    ],
    [
      'a member that is absent',
      { body: '{{action.event.kwargs.none}}' },
      'action.event.kwargs.none',
    ],
    [
      'a large body',
      {
        body: '{{variables.long}}{{action.event.kwargs.note}}',
        variables: { long: 'x'.repeat(1_048_576) },
      },
      'body: it has more than 1 MiB',
    ],
  ]
  for (const [what, delivery, sentence] of failing) {
    it(`fails for ${what}, without data of the event`, () => {
      const request = deliveryWith(delivery).compiled.request(event, attempt)
      expect(request).to.have.property('failed').that.includes(sentence)
      expect(JSON.stringify(request)).not.to.include('o/1')
    })
  }

  it('is that of on_gap for a gap', async () => {
    const on_gap = { body: { type: 'gap', data: '{{action.gap}}' } }
    const { compiled, told } = deliveryWith({ on_gap })
    const gap = { reason: 'router_lost', since: 'a', until: 'b', count: null } as const
    const request = compiled.gapRequest?.(gap, attempt)
    if (!request || 'failed' in request) throw new Error('no request')
    await request.send(new AbortController().signal)
    expect(JSON.parse(textOf(told[0]?.fields.body))).to.deep.equal({ type: 'gap', data: gap })
    expect(deliveryWith({}).compiled.gapRequest).to.equal(undefined)
  })
})

describe('whether a delivery wants an event', () => {
  const rows: readonly (readonly [what: string, delivery: object, found: object])[] = [
    ['without a filter', {}, { isWanted: true }],
    ['where the filter is true', { filter: '{{action.event.kwargs.paid}}' }, { isWanted: true }],
    ['where it is false', { filter: '{{action.event.kwargs.sent}}' }, { isWanted: false }],
    ['with the order of all', { order: 'all' }, { isWanted: true, order: 'all' }],
    ['with a key', { order: '{{action.event.kwargs.id}}' }, { isWanted: true, order: 'o/1' }],
  ]
  for (const [what, delivery, found] of rows) {
    it(`is told ${what}`, () => {
      expect(deliveryWith(delivery).compiled.admit(event)).to.deep.equal(found)
    })
  }

  for (const [what, delivery, sentence] of [
    [
      'a filter that is a number',
      { filter: '{{action.event.kwargs.amount}}' },
      'filter: expected true or false',
    ],
    [
      'a key that is a number',
      { order: '{{action.event.kwargs.amount}}' },
      'order: expected a text',
    ],
    ['a filter that fails', { filter: '{{action.event.kwargs.none}}' }, 'action.event.kwargs.none'],
  ] as const) {
    it(`fails for ${what}`, () => {
      expect(deliveryWith(delivery).compiled.admit(event))
        .to.have.property('failed')
        .that.includes(sentence)
    })
  }
})

describe('the signature of a delivery', () => {
  const origins = ['https://shop.example.com']
  const [oldSecret, newSecret] = [1, 2].map(
    (byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`,
  )
  const pair = generateKeyPairSync('ed25519')
  const { d, x } = pair.privateKey.export({ format: 'jwk' }) as { d: string; x: string }
  const bytesOf = (text: string) => Buffer.from(text, 'base64url')
  const whsk = `whsk_${Buffer.concat([bytesOf(d), bytesOf(x)]).toString('base64')}`
  const whpk = `whpk_${bytesOf(x).toString('base64')}`

  /** Whether our own side of receivers takes it. */
  async function isTaken(headers: Record<string, string>, body: unknown, secret: string) {
    const senders = { one: { scheme: 'standard', secret } }
    const realms = {
      realm: () => ({ info: { webhook_senders: senders } }),
      openSecret: async () => secret,
    }
    const known = new Senders({ realms, clock: { now: () => 0 } } as never)
    const sender = known.find(realm_uri, 'one')
    if (!sender) throw new Error('no sender')
    const claim = readClaim({ header: (name) => headers[name] }, sender)
    if (!claim || typeof claim === 'string') return claim
    return isSignedBy(claim, await known.keys(realm_uri, sender), body as Uint8Array, sender)
  }

  it('verifies by each secret of a rotation, and by a public key; a flipped bit does not', async () => {
    const signers = { shop: { scheme: 'standard', secrets: [newSecret, oldSecret, whsk], origins } }
    const { fields, headers } = await sent({ sign: 'shop' }, { signers })
    expect(
      headers['webhook-signature']?.split(' ').map((one) => one.split(',', 1)[0]),
    ).to.deep.equal(['v1', 'v1', 'v1a'])
    for (const secret of [newSecret, oldSecret, whpk]) {
      expect(await isTaken(headers, fields.body, String(secret))).to.equal(true)
      const flipped = Buffer.from(fields.body as Uint8Array)
      flipped[0] = (flipped[0] ?? 0) ^ 1
      expect(await isTaken(headers, flipped, String(secret))).to.equal(false)
    }
    const other = `whsec_${randomBytes(32).toString('base64')}`
    expect(await isTaken(headers, fields.body, other)).to.equal(false)
  })

  it('takes a private key of its seed alone', async () => {
    const secret = `whsk_${bytesOf(d).toString('base64')}`
    const signers = { shop: { scheme: 'standard', secret, origins } }
    const { fields, headers } = await sent({ sign: 'shop' }, { signers })
    expect(await isTaken(headers, fields.body, whpk)).to.equal(true)
  })

  it('is one code of the body under hmac, in the header of the realm', async () => {
    const shop = {
      ...{ scheme: 'hmac', secret: 's'.repeat(32), origins, header: 'X-Hub-Signature-256' },
      ...{ prefix: 'sha256=', id_header: 'X-Delivery' },
    }
    const { fields, headers } = await sent({ sign: 'shop' }, { signers: { shop } })
    const code = createHmac('sha256', shop.secret)
      .update(fields.body as Uint8Array)
      .digest('hex')
    expect(headers).to.deep.include({
      'x-hub-signature-256': `sha256=${code}`,
      'x-delivery': 'msg_abc',
    })
  })

  const whsec = { scheme: 'standard', secret: newSecret, origins }
  const refused: readonly (readonly [
    what: string,
    delivery: object,
    ports: object,
    sentence: string,
  ])[] = [
    ['the realm lacks the signer', { sign: 'gone' }, {}, 'the realm has no signer "gone"'],
    [
      'the signer does not go there',
      { sign: 'shop', to: { url: 'https://evil.example/' } },
      { signers: { shop: whsec } },
      'the signer "shop" does not go there',
    ],
    [
      'an event decides a host that it does not go to',
      {
        sign: 'shop',
        to: { url: 'https://{{action.event.kwargs.name}}.example/' },
      },
      { signers: { shop: whsec } },
      'the signer "shop" does not go there',
    ],
    [
      'a target of the upstream is another origin',
      { sign: 'shop', to: { upstream: 'shop', path: '/' } },
      { signers: { shop: whsec }, upstream: [...origins, 'http://10.0.0.9'] },
      'the signer "shop" does not go there',
    ],
    [
      'the realm lacks the upstream',
      { sign: 'shop', to: { upstream: 'shop', path: '/' } },
      { signers: { shop: whsec } },
      'the realm has no upstream of this name',
    ],
    [
      'no secret can be opened',
      { sign: 'shop' },
      { signers: { shop: { ...whsec, secret: 'malformed' } } },
      'the signer "shop" has no secret that can be opened',
    ],
  ]
  for (const [what, delivery, ports, sentence] of refused) {
    it(`is not made, and nothing sent, where ${what}`, async () => {
      const { end, run } = await sent(delivery, ports)
      expect(end).to.deep.equal({ error: sentence, isRefused: true })
      expect(run).to.equal(undefined)
    })
  }
})

describe('what an attempt of a delivery has come to', () => {
  const head = (status_code: number, headers = {}): Outcome => ({
    result: {},
    answer: { status_code, headers, body: new Uint8Array(), length: 0 },
  })
  const rows: readonly (readonly [
    what: string,
    outcome: Outcome | ServiceError,
    end: AttemptEnd,
  ])[] = [
    ['a redirect, which is not followed', head(302, { location: 'http://a' }), { status: 302 }],
    ['Retry-After', head(503, { 'retry-after': '120' }), { status: 503, retryAfterMs: 120_000 }],
    [
      'a Retry-After of years',
      head(503, { 'retry-after': '999999999' }),
      { status: 503, retryAfterMs: 86_400_000 },
    ],
    [
      'a timeout',
      { error: errorOf('service.error.timeout', 'late'), reason: 'late' },
      { error: 'late', isTimeout: true },
    ],
    [
      'a lost connection',
      { error: errorOf('service.error.bad_gateway', 'lost'), reason: 'lost' },
      { error: 'lost' },
    ],
    [
      'an address that is refused',
      new ServiceError('wamp.error.not_authorized', 'host: it may not'),
      { error: 'host: it may not', isRefused: true },
    ],
  ]
  for (const [what, outcome, end] of rows) {
    it(`is ${what}`, async () => {
      expect((await sent({}, { outcome })).end).to.deep.equal(end)
    })
  }

  for (const [text, ms] of [
    ['0', 0],
    ['Sat, 28 Nov 2026 12:00:10 GMT', 10_000],
    ['Sat, 28 Nov 2026 11:00:00 GMT', 0],
    ['-1', undefined],
    ['soon', undefined],
  ] as const) {
    it(`reads Retry-After: ${text}`, () => {
      expect(retryAfterMs(text, Date.parse('2026-11-28T12:00:00Z'))).to.equal(ms)
    })
  }
})
