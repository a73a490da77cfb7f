/** How values are merged and inherited down the tree, and what compiling makes of whole documents (behaviour §1). */
import { expect } from 'chai'
import { call, documentOf, fixed, issuesOf, serve } from '#test/unit/gateway/fake-exchange.ts'

describe('the priority of a value', () => {
  const levels = ['action', 'operation', 'path', 'path defaults', 'version', 'api'] as const
  const documentWith = (set: ReadonlySet<string>) => {
    const own = (level: string, value: number) => (set.has(level) ? { timeout: value } : {})
    const operation = { ...call(own('action', 1)), ...own('operation', 2) }
    const path = { ...own('path', 3), defaults: own('path defaults', 4), get: operation }
    return documentOf({ '/x': path }, { defaults: own('api', 6) }, { defaults: own('version', 5) })
  }
  levels.forEach((level, index) => {
    it(`is that of the ${level} where nothing nearer sets it`, async () => {
      const served = serve(documentWith(new Set(levels.slice(index))))
      await served.ask('GET /v1/x')
      expect(served.performed[0]?.run.attempts.timeout).to.equal(index + 1)
    })
  })

  it('is that of the table where nobody sets it', async () => {
    const served = serve(documentWith(new Set()))
    await served.ask('GET /v1/x')
    expect(served.performed[0]?.run.attempts).to.deep.equal({
      timeout: 30_000,
      connect_timeout: 8000,
      retries: 0,
      retry_timeout: 5000,
    })
  })

  it('holds for trace, which null and {} take away', async () => {
    const at = (kwargs: string) => ({ trace: { kwargs } })
    const list = { ...call(), action: [{ ...call().action, ...at('six') }, call().action] }
    const paths = {
      '/1': { get: call() },
      '/2': { ...at('two'), get: { ...call(), trace: null } },
      '/3': { ...at('two'), get: { ...call({ trace: {} }), ...at('three') } },
      '/4': { defaults: at('four'), get: call() },
      '/5': { get: call({ ...at('{{variables.name}}') }), variables: { name: 'five' } },
      '/6': { get: list },
      '/7': { get: fixed() },
    }
    const served = serve(documentOf(paths, { defaults: at('one') }))
    for (const path of Object.keys(paths)) await served.ask(`GET /v1${path}`)
    const names = served.performed.map(({ run }) => run.traceKwargs)
    expect(names).to.deep.equal([
      'one',
      undefined,
      undefined,
      'four',
      'five',
      'six',
      'one',
      undefined,
    ])
  })

  it('holds for security: nearest first, variables.security last, else open', async () => {
    const basic = { type: 'basic' }
    const status = async (path: object, more: object = {}) => {
      const served = serve(documentOf({ '/x': { get: fixed(), ...path } }, more))
      return (await served.ask('GET /v1/x')).status
    }
    expect(await status({})).to.equal(200)
    expect(await status({}, { variables: { security: basic } })).to.equal(401)
    expect(
      await status({}, { variables: { security: basic }, defaults: { security: {} } }),
    ).to.equal(200)
    expect(await status({}, { defaults: { security: basic } })).to.equal(401)
    expect(await status({ security: {} }, { defaults: { security: basic } })).to.equal(200)
    expect(await status({ defaults: { security: basic } })).to.equal(401)
    expect(await status({ security: '{{variables.s}}' }, { variables: { s: basic } })).to.equal(401)
    expect(await status({ security: '{{variables.s}}' }, { variables: { s: {} } })).to.equal(200)
    expect(await status({ get: { ...fixed(), security: basic } })).to.equal(401)
  })

  it('is resolved after merging, so that a default sees the lower level’s variable', async () => {
    const served = serve(
      documentOf(
        {
          '/x': { variables: { t: 30 }, get: call() },
          '/y': { get: { ...call(), variables: { t: 40 } } },
          '/z': { defaults: '{{variables.d}}', variables: { t: 50 }, get: call() },
          '/o': { get: { ...call(), defaults: '{{variables.d}}', variables: { t: 60 } } },
        },
        {
          variables: { t: 10, d: { timeout: '{{variables.t}}' } },
          defaults: { timeout: '{{variables.t}}' },
        },
        { variables: { t: 20 } },
      ),
    )
    for (const path of ['x', 'y', 'z', 'o']) await served.ask(`GET /v1/${path}`)
    expect(served.performed.map(({ run }) => run.attempts.timeout)).to.deep.equal([30, 40, 50, 60])
  })

  it('is found in defaults that are an expression at every level', async () => {
    const d = { timeout: '{{variables.t}}' }
    const paths = { '/x': { get: call() }, '/y': { variables: { t: 8 }, get: call() } }
    for (const [api, version] of [
      ['{{variables.d}}', undefined],
      [{ timeout: 1 }, '{{variables.d |> merge($map)}}'],
    ]) {
      const more = { variables: { t: 7, d }, defaults: api }
      const served = serve(documentOf(paths, more, version ? { defaults: version } : {}))
      for (const path of ['x', 'y']) await served.ask(`GET /v1/${path}`)
      expect(served.performed.map(({ run }) => run.attempts.timeout)).to.deep.equal([7, 8])
    }
    expect(
      issuesOf(documentOf(paths, { variables: { t: 7, d: 1 }, defaults: '{{variables.d}}' })),
    ).to.deep.include.members([
      { path: '/defaults', message: 'defaults must be a map whose keys are known at load' },
    ])
  })

  it('may need a variable that only a lower level defines', () => {
    const more = { variables: { late: '{{variables.defined_below}}' } }
    const path = { variables: { defined_below: 1 }, get: fixed('{{variables.late}}') }
    expect(issuesOf(documentOf({ '/x': path, '/y': { get: fixed() } }, more))).to.deep.equal([])
  })
})

describe('compiling', () => {
  it('takes an operation from a variable, expressions and all', async () => {
    const std = call(
      { args: ['{{request.bindings.id}}'] },
      { body: '{{action.result.args |> head}}' },
    )
    const served = serve(
      documentOf({ '/:id': { get: '{{variables.std}}' } }, { variables: { std } }),
      ({ fields }) => ({ result: { args: fields.args } }),
    )
    expect((await served.ask('GET /v1/7')).body).to.include({ value: '7' })
  })

  it('serves no route of a version that is not active', () => {
    const { api } = serve(documentOf({ '/x': { get: fixed() } }, {}, { is_active: false }))
    expect(api.entries).to.deep.equal([])
  })

  it('compiles 10,000 paths', () => {
    const paths: Record<string, object> = {}
    for (let index = 0; index < 10_000; index++) {
      paths[`/items${index}/:id`] = { get: call({ args: ['{{request.bindings.id}}'] }) }
    }
    const more = {
      variables: { schemes: ['http'], h: { 'x-a': '1' } },
      defaults: { schemes: '{{variables.schemes}}', headers: '{{variables.h}}' },
    }
    const document = documentOf(paths, more)
    expect(serve(document).api.entries.length).to.equal(10_000)
  })
})
