/** Redaction: nothing that is told of a request shows a secret of it, in plain or encoded. */
import { expect } from 'chai'
import fc from 'fast-check'
import { redact } from '#component/explain/redaction/redaction.ts'
import { redacted } from '#component/syntax/redacted.ts'

const nothing = { names: [], headers: [], request: {} }

/** What remains of a value beside a request. */
const shown = (
  told: unknown,
  request: unknown = {},
  names: string[] = [],
  headers: string[] = [],
) => redact(told, { names, headers, request })

const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('redaction', () => {
  for (const name of [
    ...['authorization', 'Authorization', 'cookie', 'set-cookie', 'proxy-authorization'],
    ...[
      'idempotency-key',
      'password',
      'newPassword',
      'client_secret',
      'access_token',
      'X-CSRF-Token',
    ],
    ...['credentials', 'api_key', 'apiKey', 'X-API-Key', 'private_key'],
  ]) {
    it(`hides what stands under ${name}, texts, numbers and maps`, () => {
      for (const value of ['abc', 12, { deep: ['abcdef'] }, ['abcdef'], new Uint8Array([1])]) {
        expect(shown({ headers: { [name]: value } })).to.deep.equal({
          headers: { [name]: redacted },
        })
      }
    })
  }

  it('hides the header field of the scheme, and the names of the configuration', () => {
    const told = { 'x-key': 'a', 'x-other': 'b', customer_iban: 'c' }
    expect(shown(told, {}, ['IBAN'], ['X-Key'])).to.deep.equal({
      'x-key': redacted,
      'x-other': 'b',
      customer_iban: redacted,
    })
  })

  it('leaves everything else as it is', () => {
    const told = {
      a: [1, null, true, 'text', { b: 12345678901234567890n }],
      key: '',
      password: null,
    }
    expect(shown(told, { headers: { authorization: 'Bearer abcdefgh' } })).to.deep.equal(told)
  })

  const secret = 'S3cret/wörd+"x"'
  const request = { body: { password: secret }, headers: {} }
  for (const [form, text] of [
    ['as it is', secret],
    ['within a text', `before ${secret} behind`],
    ['in other letter case', secret.toUpperCase()],
    ['percent-encoded', `/x?y=${encodeURIComponent(secret)}`],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(secret))],
    ['as a form', new URLSearchParams({ y: secret }).toString()],
    ['beside a bad escape', `%zz ${encodeURIComponent(secret)}`],
    ['as JSON', JSON.stringify([secret])],
    ['as JSON in ASCII', JSON.stringify([secret]).replaceAll('ö', '\\u00f6')],
    ['as Base64', base64(secret)],
    ['within Base64', base64(`user:${secret}`)],
    ['as Base64 for URLs', Buffer.from(secret).toString('base64url')],
    ['in the midst of Base64', `ab${base64(secret)}`],
  ] as const) {
    it(`hides a value that occurs elsewhere ${form}`, () => {
      expect(shown({ other: text }, request)).to.deep.equal({ other: redacted })
      expect(shown({ [text]: 1 }, request)).to.deep.equal({ [redacted]: 1 })
    })
  }

  it('hides bytes and numbers that occur elsewhere', () => {
    const request = { body: { secret: 'abcdefg', private_number: 12345678 } }
    const told = { bytes: Buffer.from('abcdefg'), number: 12345678, text: 'no. 12345678' }
    expect(shown(told, request)).to.deep.equal({
      bytes: redacted,
      number: redacted,
      text: redacted,
    })
  })

  it('hides the parts of credentials and cookies', () => {
    const headers = {
      authorization: `Basic ${base64('ada:pass:word')}`,
      'proxy-authorization': 'Bearer token-1',
      cookie: 'theme=dark; sid="session-1"; other=%73ession-2',
    }
    const told = {
      password: 'pass:word',
      a: 'pass:word',
      b: 'ada:pass:word',
      c: 'token-1',
      d: 'session-1',
      e: 'session-2',
      user: 'ada',
      theme: 'dark',
    }
    expect(shown(told, { headers })).to.deep.equal({
      ...Object.fromEntries(['password', 'a', 'b', 'c', 'd', 'e'].map((key) => [key, redacted])),
      user: 'ada',
      theme: 'dark',
    })
  })

  it('hides texts that give a secret name a value, and the value elsewhere', () => {
    for (const text of [
      '?a=1&api_key=xyz',
      'password=xyz',
      '{"a":{"token": "xyz"}}',
      'sid=1; token=2',
    ])
      expect(shown({ text })).to.deep.equal({ text: redacted })
    expect(shown({ text: 'password=abcdef', other: 'abcdef' })).to.deep.equal({
      text: redacted,
      other: redacted,
    })
  })

  it('finds them in JSON within JSON', () => {
    const text = JSON.stringify(JSON.stringify({ a: 1, password: 'abcdef' }))
    expect(shown({ text, other: 'abcdef' })).to.deep.equal({ text: redacted, other: redacted })
  })

  it('takes time in proportion to a text', () => {
    const texts = ['x', '"', '\\"', '="', '%', '" :'].map((part) => part.repeat(300_000))
    expect(shown(texts)).to.deep.equal(texts)
  })

  it('hides what an evaluation reads under such a name, and all that it makes of it', () => {
    const evaluation = {
      at: '/a',
      expression: '{{request.body.password |> length}}',
      steps: [
        { read: 'request.body.password', value: 'abc' },
        { function: 'length', arguments: [], value: 3 },
      ],
      value: 3,
    }
    expect(shown({ expressions: [evaluation] })).to.deep.equal({
      expressions: [
        {
          ...evaluation,
          steps: evaluation.steps.map((step) => ({ ...step, value: redacted })),
          value: redacted,
        },
      ],
    })
    const taken = [
      { read: 'request.body', value: { password: 'abc', user: 'ada' } },
      { function: 'get', arguments: ['password'], value: 'abc' },
    ]
    expect(shown({ at: '/a', steps: taken, value: 'abc' })).to.deep.equal({
      at: '/a',
      steps: [
        { read: 'request.body', value: { password: redacted, user: 'ada' } },
        { function: 'get', arguments: ['password'], value: redacted },
      ],
      value: redacted,
    })
    expect(shown({ at: '/get/action/kwargs/token', steps: [], value: 1 })).to.deep.equal({
      ...{ at: '/get/action/kwargs/token', steps: [], value: redacted },
    })
  })

  it('hides what is made of a secret wherever it occurs', () => {
    const told = {
      steps: [{ read: 'request.headers.authorization', value: 'Bearer abcdef.ghijkl.mnopqr' }],
      value: 'ghijkl',
      args: ['ghijkl'],
    }
    expect(shown(told)).to.deep.include({ args: [redacted] })
  })

  it('keeps the texts of the document that name a secret', () => {
    const told = {
      at: '/a',
      expression: '{{ {"password": request.body.x} }}',
      why: 'token=expected',
    }
    expect(redact(told, nothing)).to.deep.equal(told)
  })

  it('hides texts with the beginning of more than a hundred secrets', () => {
    const tokens = Array.from({ length: 101 }, (_, at) => `same-start-${at}`)
    expect(shown({ a: 'same-start', b: 'same' }, { tokens })).to.deep.equal({
      a: redacted,
      b: 'same',
    })
  })

  it('shows no secret in any encoding, wherever it was planted', () => {
    const secrets = fc.string({ minLength: 6, maxLength: 40, unit: 'grapheme' }).filter(isSecret)
    const encoding = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => `https://a.com/${encodeURIComponent(text)}?x`,
      (text) => base64(`x:${text}`),
      (text) => JSON.stringify({ x: text }),
      (text) => `<${text}>`,
    )
    const place = fc.constantFrom('password', 'cookie', 'authorization', 'x-api-key')
    fc.assert(
      fc.property(secrets, encoding, encoding, place, (secret, one, other, name) => {
        const loud = secret.toUpperCase()
        const value = name === 'cookie' ? `a=${secret}` : secret
        const told = { a: [one(other(secret))], [one(secret)]: { b: other(loud) } }
        const answer = shown(told, { headers: { [name]: value } })
        expect(answer).to.deep.equal({ a: [redacted], [redacted]: { b: redacted } })
      }),
    )
  })
})

/** Cookies and trimming cut these. */
const isSecret = (text: string): boolean =>
  text.trim() === text && text.isWellFormed() && !/[;"%+\\]/.test(text)
