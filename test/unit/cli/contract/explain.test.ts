/** `explain` by a file alone: what it prints, as files of test/cases/cli hold it (`UPDATE=1` writes them anew), and its exit codes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { runCli } from '#test/unit/cli/terminal.ts'

const golden = join(import.meta.dirname, '../../../cases/cli')

const orders = {
  ...{ id: 'com.example.orders', host: '_', realm_uri: 'com.example' },
  defaults: { timeout: 5000, security: { type: 'basic' } },
  versions: {
    '1.0': {
      base_path: '/[v1.0]',
      paths: {
        '/orders/:id': {
          get: {
            action: {
              ...{ type: 'wamp_call', procedure: 'com.example.order.get' },
              args: ['{{request.bindings.id |> integer}}'],
              kwargs: { user: '{{security.authid}}', token: '{{request.headers.x-token}}' },
            },
            response: {
              on_result: { body: '{{action.result.args |> head |> get(name)}}' },
              on_error: { body: '{{action.error.kwargs}}' },
            },
          },
          post: {
            action: {
              type: 'wamp_publish',
              topic: 'com.example.order.made',
              args: ['{{request.body}}'],
            },
            response: { on_result: {}, on_error: {} },
          },
        },
        '/orders/new': {
          get: {
            action: { type: 'static', body: 'new' },
            response: { on_result: {}, on_error: {} },
          },
        },
      },
    },
  },
}

const billing = {
  ...{ id: 'com.example.billing', realm_uri: 'com.example' },
  procedures: {
    'com.example.invoice.get': {
      callers: {},
      action: {
        ...{ type: 'forward', host: 'http://up', http_method: 'get' },
        path: '/invoices/{{invocation.args |> head}}',
        query_string: '{{invocation.kwargs |> url:form}}',
        headers: { 'x-user': '{{invocation.caller.authid}}' },
      },
    },
  },
}

describe('wamp-gateway explain --spec', () => {
  let folder = ''
  let file = ''
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'explain-'))
    file = join(folder, 'orders.json')
    writeFileSync(file, JSON.stringify(orders))
    writeFileSync(join(folder, 'bad.json'), JSON.stringify({ ...orders, realm_uri: 7 }))
    writeFileSync(join(folder, 'body.json'), '{"id": 9}')
    writeFileSync(join(folder, 'billing.json'), JSON.stringify(billing))
  })
  after(() => rmSync(folder, { recursive: true }))

  const explain = (...args: string[]) => runCli(['explain', '--spec', file, ...args])
  const told = async (...args: string[]) => {
    const { out, code, err } = await explain('--format', 'json', ...args)
    expect([code, err]).to.deep.equal([0, ''])
    return JSON.parse(out)
  }
  const outcome = '{"result": {"args": [{"name": "tea"}]}}'
  const question = [
    'GET /orders/7',
    '--as',
    'ada:staff',
    '-H',
    'X-Token: abcdefgh',
    '--outcome',
    outcome,
  ]

  for (const format of ['human', 'json'] as const) {
    it(`prints ${format} as test/cases/cli/explain.${format} has it`, async () => {
      const { code, out, err } = await explain('--format', format, ...question)
      expect([code, err]).to.deep.equal([0, ''])
      const path = join(golden, `explain.${format}`)
      if (process.env.UPDATE) writeFileSync(path, out)
      expect(out).to.equal(readFileSync(path, 'utf8'))
    })
  }

  it('shows no secret', async () => {
    expect((await explain(...question)).out).to.not.contain('abcdefgh')
  })

  it('ends with 1 for an answer of 500 or above, and shows the expression with a caret', async () => {
    const broken = '{"result": {"args": [7]}}'
    const { code, out } = await explain(
      'GET /orders/7',
      '-H',
      'X-Token: x',
      '--as',
      'ada',
      '--outcome',
      broken,
    )
    expect(out).to.match(/problem: 500 service\.error\.http_gateway\.invalid_expression/)
    expect(out).to.match(/\n[ │]*\{\{action\.result\.args .*\}\}\n[ │]*\^+\n/)
    expect(code).to.equal(1)
  })

  it('ends with 0 for other answers', async () => {
    expect((await explain('/orders/7')).code).to.equal(0)
    expect((await explain('/nothing')).code).to.equal(0)
  })

  it('posts a body, also from a file', async () => {
    const given = await told('/orders/7', '-d', '{"id": 8}', '--as', 'ada')
    expect(given.matched.method).to.equal('post')
    expect(given.action.args).to.deep.equal([{ id: 8 }])
    const read = await told(
      'POST',
      '/orders/7',
      '-d',
      `@${join(folder, 'body.json')}`,
      '--as',
      'ada',
    )
    expect(read.action.args).to.deep.equal([{ id: 9 }])
  })

  describe('of a call', () => {
    const call = (...args: string[]) =>
      runCli(['explain', '--spec', join(folder, 'billing.json'), ...args])
    const invoice = 'CALL com.example.invoice.get'

    it('has its arguments and its caller, and tells the result', async () => {
      const { code, out, err } = await call(
        ...[invoice, '-d', '[7]', '-d', '{"page": 2}', '--as', 'ada:staff'],
        ...['--outcome', '{"result": {"body": "an invoice"}}'],
      )
      expect([code, err]).to.deep.equal([0, ''])
      expect(out).to.contain('CALL com.example.invoice.get (exact) of com.example.billing')
      expect(out).to.contain('action: forward http://up/invoices/7?page=2')
      expect(out).to.contain('"x-user":"ada"')
      expect(out).to.match(/└─ result\n[ │]*├─ args: \["an invoice"\]\n/)
    })

    it('comes from a caller that the router does not disclose, unless it is named', async () => {
      const { code, out } = await call(invoice, '-d', '[7]')
      expect(out).to.contain('error: wamp.error.not_authorized')
      expect(code).to.equal(0)
    })

    it('takes arguments from a file, and a procedure that is not there', async () => {
      const named = `@${join(folder, 'body.json')}`
      const { out } = await call(invoice, '-d', named, '-d', '[1]', '--as', 'ada')
      expect(out).to.contain('http://up/invoices/1?id=9')
      const { out: none } = await call('call', 'com.example.none')
      expect(none).to.contain('no procedure matches')
    })

    for (const [fault, code, ...args] of [
      ['no procedure', 64, 'CALL'],
      ['more words than a call has', 64, 'CALL a.b c'],
      ['a URI that is none', 64, 'CALL a..b'],
      ['a header field', 64, 'CALL a.b', '-H', 'a: b'],
      ['two lists of arguments', 64, 'CALL a.b', '-d', '[]', '-d', '[]'],
      ['arguments that are neither a list nor a map', 64, 'CALL a.b', '-d', '7'],
      ['arguments that are no JSON', 65, 'CALL a.b', '-d', '{'],
    ] as const) {
      it(`ends with ${code} for ${fault}`, async () => {
        const { code: found, err } = await call(...args)
        expect(found).to.equal(code)
        expect(err).to.not.equal('')
      })
    }
  })

  it('takes scheme and host before the path', async () => {
    const { checks } = await told('http://a.com/orders/new', '--as', 'ada')
    expect(checks[0]).to.deep.include({ step: 'scheme', scheme: 'http' })
  })

  it('prints several outcomes, each by its name', async () => {
    const several =
      '{"good": {"result": {"args": [{"name": 1}]}}, "bad": {"error": {"error_uri": "com.x"}}}'
    const { out, code } = await explain(
      'GET /orders/7',
      '-H',
      'X-Token: x',
      '--as',
      'ada',
      '--outcome',
      several,
    )
    expect(out).to.contain('outcome "good"')
    expect(out).to.contain('outcome "bad"')
    expect(code).to.equal(1)
  })

  for (const [fault, code, ...args] of [
    ['no request', 64],
    ['a target that is no path', 64, 'GET orders'],
    ['more words than a request has', 64, 'GET /a b'],
    ['a method that there is none of', 64, 'BREW /a'],
    ['a field without a colon', 64, '/a', '-H', 'x'],
    ['a body that is no JSON', 65, '/a', '-d', '{'],
    ['two bodies', 64, '/a', '-d', '1', '-d', '2'],
    ['an outcome that is none', 64, '/a', '--outcome', '[1]'],
    ['a file that is not there', 66, '/a', '-d', '@nowhere.json'],
  ] as const) {
    it(`ends with ${code} for ${fault}`, async () => {
      const { code: found, err } = await explain(...args)
      expect(found).to.equal(code)
      expect(err).to.not.equal('')
    })
  }

  it('tells what is wrong in a file that does not load, and ends with 1', async () => {
    const { code, out } = await runCli(['explain', '/a', '--spec', join(folder, 'bad.json')])
    expect(out).to.match(/bad\.json:1:\d+: error: \/realm_uri: /)
    expect(code).to.equal(1)
  })
})
