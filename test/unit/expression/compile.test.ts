/** What compiling promises beside values: known members, what is read, costs, and issues at the right place. */
import { expect } from 'chai'
import { ExpressionError, type Issue } from '#component/errors.ts'
import { compile, keysOf, member, type Node } from '#component/expression/compile.ts'
import { compileVariables, contextOf, type Given, scopeOf, stage1 } from './context.ts'

const known = (node: Node): Exclude<Node, { kind: 'broken' }> => {
  if (node.kind === 'broken') throw new TypeError('broken')
  return node
}

const compiled = (value: unknown, given: Given = {}) => known(stage1(value, given).node)

const errorOf = (value: unknown, given: Given): ExpressionError => {
  const node = compiled(value, given)
  try {
    node.evaluate(contextOf(given))
  } catch (error) {
    if (error instanceof ExpressionError) return error
    throw error
  }
  throw new TypeError('no error')
}

describe('compile', () => {
  it('gives a literal back as it is', () => {
    const literal = { a: [1, { b: 'c' }], 'x|y': null }
    expect(compiled(literal)).to.include({ kind: 'constant', value: literal })
  })

  for (const [value, reads] of [
    ['{{request.body.x.y.z}}', ['request.body.x']],
    ['{{request}}', ['request']],
    ['{{security.authid}} {{request.path}}', ['security.authid', 'request.path']],
    ['{{variables.v.x}}', ['request.body.x']],
    ['{{variables.v |> get(x)}}', ['request.body']],
    [{ a: '{{action.result.body}}', b: ['{{request.id}}'] }, ['action.result.body', 'request.id']],
    ['{{status_codes |> get({{action.error.error_uri}}, 5)}}', ['action.error.error_uri']],
    ['{{variables.m.closed}}', []],
  ] as const) {
    it(`says that ${JSON.stringify(value)} reads ${reads.join(', ') || 'nothing'}`, () => {
      const given = {
        variables: { v: '{{request.body}}', m: { closed: 1, open: '{{request.id}}' } },
        status_codes: { u: 400 },
      }
      expect([...compiled(value, given).reads]).to.deep.equal([...reads])
    })
  }

  it('shows the members of partly known maps', () => {
    const given = {
      variables: { std: { a: 1, b: '{{request.id}}', c: { d: ['{{request.id}}'] } } },
    }
    const node = compiled('{{variables.std |> put(e, x)}}', given)
    expect(node.kind).to.equal('map')
    expect(keysOf(node)).to.deep.equal(['a', 'b', 'c', 'e'])
    expect(member(node, 'a')).to.include({ kind: 'constant', value: 1 })
    expect(member(node, 'b')?.kind).to.equal('deferred')
    expect(member(known(member(node, 'c') ?? node), 'd')?.kind).to.equal('list')
    expect(member(node, 'toString')).to.equal(undefined)
  })

  it('shows the members of constants, and none of anything else', () => {
    const map = compiled({ a: 1 })
    expect(keysOf(map)).to.deep.equal(['a'])
    expect(member(map, 'a')).to.include({ value: 1 })
    expect(member(map, 'constructor')).to.equal(undefined)
    for (const other of ['text', [1], null, '{{request.id}}', ['{{request.id}}']]) {
      expect(keysOf(compiled(other))).to.equal(undefined)
      expect(member(compiled(other), 'a')).to.equal(undefined)
    }
  })

  it('reads the fields of the request as properties, so that they may be computed late', () => {
    class Lazy {
      get path(): string {
        return '/late'
      }
    }
    const context = contextOf({ request: new Lazy() })
    expect(compiled('{{request.path}}').evaluate(context)).to.equal('/late')
    expect(compiled('{{request |> with([path])}}').evaluate(context)).to.deep.equal({
      path: '/late',
    })
  })

  it('finds what an action keeps under an alias that is not listed', () => {
    const result = Object.defineProperty({ args: [1] }, 'arguments', { value: [1] })
    const context = contextOf({ action: { result } })
    expect(compiled('{{action.result.arguments |> head}}').evaluate(context)).to.equal(1)
    expect(compiled('{{action.result |> string}}').evaluate(context)).to.equal('{"args":[1]}')
  })

  it('keeps __proto__ from every map it makes', () => {
    const body = JSON.parse('{"m": {"__proto__": {"polluted": 1}, "a": 1}, "k": "__proto__"}')
    const context = contextOf({ request: { body } })
    for (const text of [
      '{{request.body.m |> without([b])}}',
      '{{request.body.m |> with([a, {{request.body.k}}])}}',
      '{{request.body.m |> merge({{request.body.m}})}}',
      '{{request.body.m |> put(b, 1)}}',
    ]) {
      const value = compiled(text).evaluate(context) as object
      expect(Object.getPrototypeOf(value), text).to.equal(Object.prototype)
    }
    const put = compiled('{{request.body.m |> put({{request.body.k}}, 1)}}')
    expect(() => put.evaluate(context)).to.throw(ExpressionError)
    expect(({} as { polluted?: unknown }).polluted).to.equal(undefined)
  })
})

describe('an issue of an expression', () => {
  it('shows the expression, a caret and the column', () => {
    const { issues } = stage1('{{request.body.items |> lenth}}', {})
    expect(issues).to.deep.equal([
      {
        path: '/value',
        message:
          'there is no function "lenth"; did you mean "length"? (column 25)\n' +
          '{{request.body.items |> lenth}}\n' +
          '                        ^^^^^',
      },
    ])
  })

  it('shows only the expression that is wrong, not the text around it', () => {
    const { issues } = stage1(
      `${'x'.repeat(5000)}\n${'y'.repeat(500)}\t{{nope}}${'z'.repeat(500)}`,
      {},
    )
    const [sentence, line = '', caret = ''] = issues[0]?.message.split('\n') ?? []
    expect(sentence).to.equal('there is no "nope" (column 5505)')
    expect(line).to.equal('…{{nope}}…')
    expect(line.slice(caret.indexOf('^'), caret.lastIndexOf('^') + 1)).to.equal('nope')
  })

  it('shows only the line and the neighbourhood of what is wrong in a long expression', () => {
    const key = 'y'.repeat(500)
    const { issues } = stage1(`{{request.body |> get('${key}') |>\n frist('${key}')}}`, {})
    const [, line = '', caret = ''] = issues[0]?.message.split('\n') ?? []
    expect(line).to.match(/^ frist\('y+…$/)
    expect(line.slice(caret.indexOf('^'), caret.lastIndexOf('^') + 1)).to.match(/^frist/)
  })

  for (const text of ['a {{nope}} b {{ok}} c', "a {{nope |> get({{ok}}, 'b')}} c", 'a {{nope c']) {
    it(`shows nothing of the text before the expression in ${text}`, () => {
      const [, line] = stage1(text, {}).issues[0]?.message.split('\n') ?? []
      expect(line).to.match(/^…\{\{nope/)
    })
  }

  it('is reported once, at the variable and not at its users', () => {
    const given = {
      variables: { v: '{{nope}}', w: '{{variables.v}}', ok: { a: '{{variables.w}}', b: 1 } },
    }
    const scope = scopeOf(given)
    const issues: Issue[] = []
    for (const text of ['{{variables.v}}', 'a{{variables.w}}', '{{variables.v |> head}}']) {
      expect(compile(text, '/value', scope, issues).kind).to.equal('broken')
    }
    expect(compile('{{variables.ok.b}}', '/value', scope, issues)).to.include({ value: 1 })
    compileVariables(scope, issues)
    expect(issues.map(({ path }) => path)).to.deep.equal(['/variables/v'])
  })

  it('is reported once for scopes that share a variable', () => {
    const issues: Issue[] = []
    for (let times = 0; times < 3; times++)
      compileVariables(scopeOf({ variables: { v: '{{nope}}' } }), issues)
    expect(issues).to.have.length(1)
  })

  it('leaves the other members of a map usable', () => {
    const { node, issues } = stage1({ bad: '{{nope}}', worse: ['{{'], good: 1 }, {})
    expect(issues.map(({ path }) => path)).to.deep.equal(['/value/bad', '/value/worse/0'])
    expect(member(node, 'good')).to.include({ value: 1 })
  })
})

describe('an error of an expression per request', () => {
  it('names the expression and where it stands', () => {
    const error = errorOf('a {{variables.v}}', {
      variables: { v: '{{action.result.x}}' },
      action: { result: {} },
    })
    expect(error).to.include({ uri: 'service.error.http_gateway.invalid_expression', column: 3 })
    expect(error.message).to.equal(
      'there is no "action.result.x" (column 3 of the expression at /variables/v)\n' +
        '{{action.result.x}}\n' +
        '  ^^^^^^^^^^^^^^^',
    )
    expect(error.detail).to.equal(error.message)
  })

  it('names the member of the request to the client, and the expression to the log', () => {
    const error = errorOf('a {{variables.v}}', {
      variables: { v: '{{request.body.x}}' },
      request: { body: {} },
    })
    expect(error).to.include({ uri: 'service.error.http_gateway.invalid_request', column: 3 })
    expect(error.message).to.equal('request.body.x is missing')
    expect(error.detail).to.equal(
      'there is no "request.body.x" (column 3 of the expression at /variables/v)\n' +
        '{{request.body.x}}\n' +
        '  ^^^^^^^^^^^^^^',
    )
  })

  for (const text of [
    '{{request.body.secret.x}}',
    '{{request.body.secret |> integer}}',
    '{{request.body |> get({{request.body.secret}})}}',
    '{{request.body |> put(a, 1) |> head}}',
    '{{request.body.list |> min}}',
    '{{request.body.list |> nth({{request.body.secret}})}}',
    '{{request.body.secret |> base64:decode}}',
    'x{{request.body.nan}}',
    'x{{request.body.bytes}}',
  ]) {
    it(`never holds data: ${text}`, () => {
      const body = { secret: 's3cr3t', list: ['s3cr3t'], nan: Number.NaN, bytes: new Uint8Array(2) }
      expect(errorOf(text, { request: { body } }).message).to.not.contain('s3cr3t')
    })
  }
})
