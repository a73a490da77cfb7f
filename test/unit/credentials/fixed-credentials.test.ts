/** Secrets of upstreams as they are opened: once, again where they stand in a file, and not for each request while they cannot be. */
import { expect } from 'chai'
import { fixedCredentials, fixedKinds } from '#component/credentials/fixed-credentials.ts'
import { tokenSettings } from '#component/credentials/token-settings.ts'
import { ServiceError } from '#component/errors.ts'
import type { Credential } from '#component/upstreams/credentials.ts'
import { ManualClock, settled } from '#test/unit/action/doubles.ts'

const asking = { identity: {}, subjectToken: () => undefined }

/** Credentials with a secret, and what opening it gives. */
function opening(secret: unknown, kind: keyof typeof fixedKinds = 'header') {
  const clock = new ManualClock()
  const opened: { text: string | undefined; times: number } = { text: 'first', times: 0 }
  const failures: unknown[] = []
  const auth = { type: kind, name: 'X-Key', username: 'gw', secret, password: secret }
  const credentials = fixedCredentials({ type: kind, key: 'k', auth }, fixedKinds[kind], {
    clock,
    open: async () => {
      opened.times += 1
      return opened.text
    },
    onFailure: (error) => void failures.push(error),
  })
  const get = async (): Promise<Credential | string> => {
    try {
      return await credentials.of(asking)
    } catch (error) {
      return error instanceof ServiceError ? error.uri : String(error)
    }
  }
  const sent = async () => {
    const found = await get()
    return typeof found === 'string' ? found : found.field?.value
  }
  return { clock, opened, failures, get, sent }
}

describe('a secret of an upstream', () => {
  it('is opened once for all requests', async () => {
    const { clock, opened, sent } = opening({ env: 'KEY' })
    expect(new Set(await Promise.all(Array.from({ length: 100 }, sent)))).to.deep.equal(
      new Set(['first']),
    )
    await clock.advance(3_600_000)
    opened.text = 'second'
    expect([await sent(), opened.times]).to.deep.equal(['first', 1])
  })

  it('that stands in a file is read again after 10 s, while the former one is sent', async () => {
    const { clock, opened, sent } = opening({ file: '/run/key' })
    await sent()
    opened.text = 'second'
    await clock.advance(9_999)
    expect([await sent(), opened.times]).to.deep.equal(['first', 1])
    await clock.advance(1)
    expect([await sent(), opened.times]).to.deep.equal(['first', 2])
    await settled()
    expect(await sent()).to.equal('second')
  })

  it('goes on where its file is gone for a while', async () => {
    const { clock, opened, failures, sent } = opening({ file: '/run/key' })
    await sent()
    opened.text = undefined
    await clock.advance(10_000)
    await sent()
    await settled()
    expect([await sent(), failures.length]).to.deep.equal(['first', 1])
  })

  it('that cannot be opened is tried once a second, whatever the number of requests', async () => {
    const { clock, opened, sent } = opening({ sealed: 'v1.of-another-key' })
    opened.text = undefined
    const all = await Promise.all(Array.from({ length: 100 }, sent))
    expect([new Set(all), opened.times]).to.deep.equal([
      new Set(['service.error.no_upstream_token']),
      1,
    ])
    await sent()
    expect(opened.times).to.equal(1)
    await clock.advance(1_000)
    opened.text = 'first'
    expect([await sent(), opened.times]).to.deep.equal(['first', 2])
  })

  for (const text of ['two\nlines', 'a\r\nx-evil: 1', '\u{1f511}']) {
    it(`that no header can hold is none: ${JSON.stringify(text)}`, async () => {
      const { opened, failures, sent } = opening({ env: 'KEY' })
      opened.text = text
      expect([await sent(), failures.length]).to.deep.equal(['service.error.no_upstream_token', 1])
      expect(String(failures[0])).to.not.include(text)
    })
  }

  it('is looked for in answers in each form that it is sent in', async () => {
    const { get: query, opened } = opening('x', 'query')
    opened.text = 'a secret&'
    expect(await query()).to.have.deep.property('secrets', ['a secret&', 'a%20secret%26'])
    const { get: basic } = opening('x', 'basic')
    expect(await basic()).to.have.deep.property('secrets', ['first', 'Z3c6Zmlyc3Q='])
  })
})

describe('the settings of a token', () => {
  const texts: Record<string, string | undefined> = { s: 'the secret', c: 'a PEM' }
  const open = async (value: unknown) => texts[String(value)]
  const auth = {
    client_id: 'gw',
    token_url: 'https://id.example.com/t',
    client_secret: 's',
    ca: 'c',
  }

  it('have the secret and the certificates opened', async () => {
    expect(await tokenSettings('billing', auth, open)).to.deep.equal({
      endpoint: {
        ...{ name: 'billing', token_url: 'https://id.example.com/t', issuer: undefined },
        ...{ client_id: 'gw', client_authentication: undefined, ca: 'a PEM' },
      },
      secrets: { secret: 'the secret' },
    })
  })

  for (const key of ['client_secret', 'private_key', 'ca']) {
    it(`name the key that cannot be opened: ${key}`, async () => {
      const failure = await tokenSettings('billing', { ...auth, [key]: 'gone' }, open).catch(String)
      expect(failure).to.equal(`Error: ${key} cannot be opened`)
    })
  }
})
