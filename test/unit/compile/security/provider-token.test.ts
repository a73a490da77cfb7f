/** What a load says of documents that read the access token of the identity provider. */
import { expect } from 'chai'
import { compileSpec } from '#component/compile/compile.ts'
import type { ApiSpec } from '#component/spec/model.ts'
import { validateSpec } from '#component/spec/validate.ts'
import { call, documentOf, fixed } from '#test/unit/gateway/fake-exchange.ts'

const token = '{{security.provider_token}}'
const security = { type: 'oidc', provider: 'mock' }
const at = '/versions/1.0/paths/~1x/get'
const response = { on_result: {}, on_error: {} }

/** All that is said of a document with this operation. */
function load(get: object, more: object = { defaults: { security } }) {
  const { spec, issues, warnings } = validateSpec(documentOf({ '/x': { get } }, more))
  const compiled = compileSpec(spec as ApiSpec, { callTimeout: 30_000 })
  return {
    issues: [...issues, ...compiled.issues],
    warnings: [...warnings, ...compiled.warnings],
    features: compiled.api?.features,
  }
}

const forward = (more: object) => ({
  action: { type: 'forward', host: 'http://up.example', path: '/', ...more },
  response,
})
const sends = forward({ headers: { authorization: `Bearer ${token}` } })

describe('security.provider_token', () => {
  it('is looked for in a limit that is wrong, which is told', () => {
    for (const [key, value] of [
      ['per', { gold: 1 }],
      ['cost', [1]],
    ] as const) {
      const rate_limit = { amount: 1, window: 1, [key]: value }
      const { issues } = load(sends, { defaults: { security, rate_limit } })
      expect(issues.map(({ path }) => path)).to.deep.equal([`/defaults/rate_limit/${key}`])
    }
  })

  for (const [place, operation] of [
    ['a header of a forward', sends],
    ['all headers of a forward', forward({ headers: '{{variables.headers}}' })],
    ['args of a call', call({ args: [{ token }] })],
    ['kwargs of a call', call({ kwargs: { token } })],
    ['args of a call by their long name', call({ arguments: [token] })],
    [
      'a header of a forward, with a default',
      forward({ headers: { a: '{{security.provider_token |> default(none)}}' } }),
    ],
    ['one action of a list', { action: [call({ args: [token] }).action, call().action], response }],
  ] as const) {
    it(`can be read in ${place}, which is a feature that a gateway must know`, () => {
      const variables = { headers: { authorization: `Bearer ${token}` } }
      const found = load(operation, { defaults: { security }, variables })
      expect(found).to.deep.equal({ issues: [], warnings: [], features: ['provider_token'] })
    })
  }

  for (const [place, operation, path] of [
    ['a body of the document', fixed(token), '/action/body'],
    [
      'a header of it',
      { action: { type: 'static', body: '', headers: { a: token } }, response },
      '/action/headers/a',
    ],
    ['the path of a forward', forward({ path: `/${token}` }), '/action/path'],
    ['its query', forward({ query_string: `a=${token}` }), '/action/query_string'],
    ['its body', forward({ body: { a: [token] } }), '/action/body/a/0'],
    ['its host', forward({ host: `http://${token}.example` }), '/action/host'],
    ['the URI of a call', call({ procedure: `com.example.${token}` }), '/action/procedure'],
    ['options of a call', call({ options: { a: token } }), '/action/options/a'],
    [
      'a publication',
      { action: { type: 'wamp_publish', topic: 'com.a', args: [token] }, response },
      '/action/args/0',
    ],
    ['an answer', call({}, { body: token }), '/response/on_result/body'],
    [
      'a header of an answer',
      call({}, { headers: { a: `x ${token}` } }),
      '/response/on_result/headers/a',
    ],
    ['an error', call({}, {}, { body: token }), '/response/on_error/body'],
    ['a timeout', call({ timeout: '{{security.provider_token |> integer}}' }), '/action/timeout'],
    [
      'a rate limit',
      { ...call(), rate_limit: { amount: 1, window: 60, per: token } },
      '/rate_limit/per',
    ],
    [
      'a member of it',
      call({
        args: ['{{security.provider_token.sub}}'],
        options: { a: '{{security.provider_token.sub}}' },
      }),
      '/action/options/a',
    ],
  ] as const) {
    it(`cannot be read in ${place}`, () => {
      const { issues } = load(operation)
      expect(issues.map((issue) => issue.path)).to.include(at + path)
      const [issue] = issues.filter((one) => one.path === at + path)
      expect(issue?.message).to.include(
        '"security.provider_token" can be read in headers of a forward, and in args and kwargs of a wamp_call, only',
      )
    })
  }

  it('is refused where it stands beside a place that may hold it', () => {
    const { issues } = load(call({ args: [token] }, { body: token }))
    expect(issues.map(({ path }) => path)).to.deep.equal([`${at}/response/on_result/body`])
  })

  it('is refused in a variable that is read elsewhere', () => {
    const variables = { secret: token }
    const { issues } = load(fixed('{{variables.secret}}'), { defaults: { security }, variables })
    expect(issues.map(({ path }) => path)).to.deep.equal(['/variables/secret'])
  })

  for (const other of [{ type: 'basic' }, { type: 'oauth2', flow: 'client_credentials' }, {}]) {
    it(`is not there under ${JSON.stringify(other)}`, () => {
      const { issues } = load(sends, { defaults: { security: other } })
      expect(issues.map(({ path }) => path)).to.deep.equal([`${at}/action/headers/authorization`])
      expect(issues[0]?.message).to.include('security of the type oidc only')
    })
  }

  it('is refused where all users share kept answers, and not where each has their own', () => {
    const { issues } = load({ ...sends, cache: { ttl: 5, per: 'all' } })
    expect(issues.map(({ path }) => path)).to.deep.equal([`${at}/cache/per`])
    expect(load({ ...sends, cache: { ttl: 5 } }).issues).to.deep.equal([])
    expect(load({ ...call(), cache: { ttl: 5, per: 'all' } }).issues).to.deep.equal([])
  })
})
