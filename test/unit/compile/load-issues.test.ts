/** What loading finds in a document, and where it says so: each mistake once, at its own place (behaviour §1). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { compileSpec } from '#component/compile/compile.ts'
import { validateSpec } from '#component/spec/validate.ts'
import { call, documentOf, fixed, issuesOf } from '#test/unit/gateway/fake-exchange.ts'

const cases = join(import.meta.dirname, '..', '..', 'cases')
const mistakes = JSON.parse(readFileSync(join(cases, 'twelve-mistakes.json'), 'utf8'))

/** Where the issues of a document are. */
const pathsOf = (document: unknown): string[] => issuesOf(document).map(({ path }) => path)

const at = '/versions/1.0/paths/~1x'
const get = `${at}/get`
const version = '/versions/1.0'

describe('a document with twelve mistakes', () => {
  it('lists exactly where they are', () => {
    const { realm, ...others } = mistakes.mistakes
    // only the registry knows the realms
    expect(realm).to.equal('/realm_uri')
    expect(pathsOf(mistakes.document)).to.have.members(Object.values(others))
  })
})

describe('JSON Schemas in a document', () => {
  it('are never expressions, whatever their texts hold', () => {
    const schema = { pattern: '^{{2}$', const: '"x"', description: '{{nothing}}' }
    const response = { on_result: { schema }, on_error: { schema } }
    const get = { ...fixed(), request: { query_params: schema }, response }
    const path = { request: { headers: schema }, get }
    expect(issuesOf(documentOf({ '/x': path }, { schemas: { A: schema } }))).to.deep.equal([])
  })
})

/** Takes the name `_t` for the trace context. */
const traced = { defaults: { trace: { kwargs: '_t' } } }

/** Title, document, pointers of its issues. */
const rows: readonly (readonly [title: string, document: object, paths: readonly string[]])[] = [
  [
    'an operation that folds to no map',
    documentOf({ '/x': { get: '{{variables.v}}' } }, { variables: { v: 1 } }),
    [get],
  ],
  [
    'an operation that depends on the request',
    documentOf({ '/x': { get: '{{request.body}}' } }),
    [get],
  ],
  [
    'an operation from a variable without a response',
    documentOf(
      { '/x': { get: '{{variables.v}}' } },
      { variables: { v: { action: { type: 'static' } } } },
    ),
    [get],
  ],
  [
    'a procedure from a variable that is no URI',
    documentOf(
      { '/x': { get: call({ procedure: '{{variables.p}}' }) } },
      { variables: { p: 'a b' } },
    ),
    [`${get}/action/procedure`],
  ],
  [
    'an action type that is computed',
    documentOf({ '/x': { get: { action: { type: '{{request.body.t}}' }, response: {} } } }),
    [`${get}/action/type`],
  ],
  [
    'an action of a folded type without its procedure',
    documentOf(
      { '/x': { get: { action: { type: '{{variables.t}}' }, response: {} } } },
      { variables: { t: 'wamp_call' } },
    ),
    [`${get}/action/procedure`],
  ],
  [
    'an empty action under get',
    documentOf({ '/x': { get: { action: {}, response: {} } } }),
    [`${get}/action/type`],
  ],
  [
    'an empty action under get, folded',
    documentOf(
      { '/x': { get: { action: '{{variables.a}}', response: {} } } },
      { variables: { a: {} } },
    ),
    [`${get}/action`],
  ],
  [
    'security that depends on the request',
    documentOf({ '/x': { security: '{{request.query_params}}', get: fixed() } }),
    [`${at}/security`],
  ],
  [
    'security of which a part depends on the request',
    documentOf({ '/x': { security: { type: '{{request.query_params.t}}' }, get: fixed() } }),
    [`${at}/security`],
  ],
  [
    'security of an unknown type, folded, inherited by two paths',
    documentOf(
      { '/x': { get: fixed() }, '/y': { get: fixed() } },
      { defaults: { security: '{{variables.s}}' }, variables: { s: { type: 'magic' } } },
    ),
    ['/defaults/security'],
  ],
  [
    'variables.security of an unknown type',
    documentOf({ '/x': { get: fixed() } }, { variables: { security: { type: 'magic' } } }),
    ['/variables/security'],
  ],
  [
    'schemes that depend on the request',
    documentOf({ '/x': { get: fixed() } }, { defaults: { schemes: ['{{request.scheme}}'] } }),
    ['/defaults/schemes'],
  ],
  [
    'a default that folds to what is not allowed, once for all that inherit it',
    documentOf(
      { '/x': { get: fixed() }, '/y': { get: fixed(), post: fixed() } },
      { defaults: { timeout: '{{variables.t}}' }, variables: { t: 3_600_001 } },
    ),
    ['/defaults/timeout'],
  ],
  [
    'a default that nobody uses',
    documentOf(
      { '/x': { timeout: 5, get: fixed() } },
      { defaults: { timeout: '{{variables.none}}' } },
    ),
    ['/defaults/timeout'],
  ],
  [
    'a variable that nobody uses',
    documentOf({ '/x': { get: fixed() } }, { variables: { v: '{{variables.none}}' } }),
    ['/variables/v'],
  ],
  [
    'a status code that folds to none',
    documentOf(
      { '/x': { get: fixed() } },
      { status_codes: { 'com.x': '{{variables.v}}' }, variables: { v: 99 } },
    ),
    ['/status_codes/com.x'],
  ],
  [
    'a status code that depends on the request',
    documentOf({ '/x': { get: fixed() } }, { status_codes: { 'com.x': '{{request.body}}' } }),
    ['/status_codes/com.x'],
  ],
  [
    'a header of a folded map that breaks the framing',
    documentOf(
      { '/x': { headers: '{{variables.h}}', get: fixed() } },
      { variables: { h: { connection: 'x' } } },
    ),
    [`${at}/headers`],
  ],
  [
    'a folded header with a line break',
    documentOf(
      { '/x': { headers: { a: '{{variables.h}}' }, get: fixed() } },
      { variables: { h: 'a\nb' } },
    ),
    [`${at}/headers/a`],
  ],
  [
    'the name of a framing header with a computed value',
    documentOf({
      '/x': { get: call({}, { headers: { 'content-length': '{{request.body.n}}' } }) },
    }),
    [`${get}/response/on_result/headers/content-length`],
  ],
  [
    'a trace that depends on the request',
    documentOf({ '/x': { get: call({ trace: { kwargs: '{{request.query_params.t}}' } }) } }),
    [`${get}/action/trace`],
  ],
  [
    'kwargs that have the name of the trace context',
    documentOf({ '/x': { get: call({ kwargs: { _t: '{{request.body}}', a: 1 } }) } }, traced),
    [`${get}/action/kwargs/_t`],
  ],
  [
    'kwargs under their old name, folded, that have the name of the trace context',
    documentOf(
      { '/x': { get: call({ arguments_kw: '{{variables.k}}' }) } },
      { ...traced, variables: { k: { _t: 1 } } },
    ),
    [`${get}/action/arguments_kw`],
  ],
  [
    'a snapshot and the second action of a list whose kwargs have the name of the trace context',
    documentOf(
      {
        '/x': {
          get: {
            action: {
              ...{ type: 'wamp_subscribe', topic: 'com.example.t' },
              snapshot: { procedure: 'com.example.p', kwargs: { _t: 1 } },
            },
            response: {},
          },
        },
        '/y': { get: { ...call(), action: [call().action, call({ kwargs: { _t: 1 } }).action] } },
        '/z': { trace: null, get: call({ kwargs: { _t: 1 } }) },
        '/s': { get: fixed({ kwargs: { _t: 1 } }) },
      },
      traced,
    ),
    [`${get}/action/snapshot/kwargs/_t`, `${version}/paths/~1y/get/action/1/kwargs/_t`],
  ],
  [
    'a path’s defaults that fold to no map',
    documentOf({ '/x': { defaults: '{{variables.d}}', get: fixed() } }, { variables: { d: 1 } }),
    [`${at}/defaults`],
  ],
  [
    'a path’s defaults of which a member is wrong',
    documentOf(
      { '/x': { defaults: '{{variables.d}}', get: fixed() } },
      { variables: { d: { timeout: 0 } } },
    ),
    [`${at}/defaults`],
  ],
  [
    'a response declaration that depends on the request',
    documentOf({ '/x': { get: { ...call(), response: { on_result: '{{request.body}}' } } } }),
    [`${get}/response/on_result`],
  ],
  [
    'two paths of one document that answer the same requests',
    documentOf({ '/x': { get: fixed() }, '/[y]/x': { get: fixed() } }),
    [`${version}/paths/~1[y]~1x`],
  ],
  [
    'mistakes in a version that is not active',
    documentOf({ '/x': { get: fixed('{{variables.none}}') } }, {}, { is_active: false }),
    [`${get}/action/body`],
  ],
]

describe('loading finds', () => {
  for (const [title, document, paths] of rows) {
    it(title, () => {
      expect([...new Set(pathsOf(document))]).to.have.members(paths)
      expect(pathsOf(document).length, 'each is listed once').to.equal(paths.length)
    })
  }

  it('both places of a clash', () => {
    const [issue] = issuesOf(documentOf({ '/:a': { get: fixed() }, '/:b': { get: fixed() } }))
    expect(issue?.path).to.equal(`${version}/paths/~1:b`)
    expect(issue?.message).to.contain(`${version}/paths/~1:a`)
  })

  it('a warning for an unknown key of a folded map, where its expression stands', () => {
    const variables = { op: { ...call(), respones: {} } }
    const { spec } = validateSpec(documentOf({ '/x': { get: '{{variables.op}}' } }, { variables }))
    const ports = { callTimeout: 1 }
    const { warnings } = spec ? compileSpec(spec, ports) : { warnings: [] }
    expect(warnings.map(({ path }) => path)).to.deep.equal([get])
    expect(warnings[0]?.message).to.contain('did you mean response')
  })
})
