/** Budgets: what expressions may build at load and per request, and how deep they may go. */
import { expect } from 'chai'
import { ExpressionError, type Issue } from '#component/errors.ts'
import { compile } from '#component/expression/compile.ts'
import { compileVariables, contextOf, scopeOf, stage1 } from './context.ts'

/** Variables v0 … v<count>, each made of the one before it. */
function chain(first: unknown, next: (before: string) => unknown, count: number): object {
  const variables: Record<string, unknown> = { v0: first }
  for (let index = 1; index <= count; index++) {
    variables[`v${index}`] = next(`{{variables.v${index - 1}}}`)
  }
  return variables
}

const backwards = (variables: object): object =>
  Object.fromEntries(Object.entries(variables).reverse())

const issuesOf = (variables: object): Issue[] => {
  const issues: Issue[] = []
  compileVariables(scopeOf({ variables }), issues)
  return issues
}

const errorOf = (value: unknown, body: unknown, variables: object = {}): string => {
  const { node, issues } = stage1(value, { variables })
  expect(issues).to.deep.equal([])
  if (node.kind === 'broken') throw new TypeError('broken')
  try {
    node.evaluate(contextOf({ request: { body } }))
  } catch (error) {
    if (error instanceof ExpressionError) return error.message
    throw error
  }
  return 'no error'
}

describe('the budgets of expressions', () => {
  const twice = (before: string) => before + before
  const pair = (before: string) => ({ a: before, b: before })
  for (const [title, first, next, path, message] of [
    ['doubled text', 'aaaaaaaaaa', twice, '/variables/v22', 'larger than 32 MiB'],
    ['doubled maps', { a: 1 }, pair, '/variables/v20', 'larger than 32 MiB'],
    ['doubled deferred text', '{{request.id}}', twice, '/variables/v16', 'more than 100000 steps'],
    ['doubled deferred maps', '{{request.id}}', pair, '/variables/v16', 'more than 100000 steps'],
  ] as const) {
    for (const order of ['forwards', 'backwards']) {
      it(`stop ${title} listed ${order}, with one issue`, () => {
        const variables = chain(first, next, 60)
        const issues = issuesOf(order === 'forwards' ? variables : backwards(variables))
        expect(issues).to.have.length(1)
        expect(issues[0]?.path).to.equal(path)
        expect(issues[0]?.message).to.contain(message)
      })
    }
  }

  it('stop what many expressions of a document yield together', () => {
    const variables = chain('a'.repeat(10_000), twice, 10)
    const uses = Array.from({ length: 2000 }, () => '{{variables.v10 |> base64:encode}}')
    const { issues } = stage1(uses, { variables })
    expect(issues[0]?.message).to.contain('more than 256 MiB')
  })

  it('stop what partly known maps cost while they are made, and suggestions after the 100th', () => {
    const keys = Array.from({ length: 5000 }, (_, index) => [`key${index}`, index])
    const m = { ...Object.fromEntries(keys), open: '{{request.id}}' }
    const puts = keys.map(
      ([key]) => `{{variables.m |> put(${key}, 1) |> put(x, {{request.path}})}}`,
    )
    const { issues } = stage1(puts, { variables: { m } })
    expect(issues[0]?.message).to.contain('more than 256 MiB')
    const misspelt = stage1(
      Array.from({ length: 200 }, () => '{{requets.id}}'),
      {},
    ).issues
    expect(misspelt).to.have.length(200)
    expect(misspelt[99]?.message).to.contain('did you mean')
    expect(misspelt[100]?.message).to.not.contain('did you mean')
  })

  it('name whole roots when a value reads very many paths', () => {
    const paths = Array.from({ length: 300 }, (_, index) => `{{request.body.key${index}}}`)
    const { node } = stage1(paths, {})
    expect(node.kind === 'list' && [...node.reads]).to.deep.equal(['request'])
  })

  for (const order of ['forwards', 'backwards']) {
    it(`stop long chains of variables listed ${order}`, () => {
      const variables = chain(1, (before) => before, 10_000)
      const issues = issuesOf(order === 'forwards' ? variables : backwards(variables))
      expect(issues.length).to.be.greaterThan(0)
      expect(issues[0]?.message).to.contain('more than 64 variables refer to each other')
    })
  }

  it('admit a chain of 60 variables in either order', () => {
    const variables = chain('{{request.id}}', (before) => [before], 60)
    expect(issuesOf(variables)).to.deep.equal([])
    expect(issuesOf(backwards(variables))).to.deep.equal([])
  })

  it('stop literals and results that are nested too deeply', () => {
    let deep: unknown = 1
    for (let level = 0; level < 600; level++) deep = [deep]
    expect(stage1(deep, {}).issues[0]?.message).to.contain('nested more than 512 deep')
    const nest = (before: string) => [[[[[[[[[[before]]]]]]]]]]
    const known = issuesOf(chain(1, nest, 60))
    expect(known[0]?.message).to.contain('nested more than 512 deep')
    const waiting = issuesOf(chain('{{request.id}}', nest, 60))
    expect(waiting[0]?.message).to.contain('nested more than 512 deep')
  })

  const big = 'x'.repeat(20_000_000)
  const rows = Array.from({ length: 1_000_000 }, () => 'twelve chars')
  const maps: unknown[] = rows.map(() => ({ a: {} }))
  for (const [title, text, body] of [
    ['joined text', '{{request.body}}{{request.body}}', big],
    ['text in a map', '{{request.body |> string}}', { a: big, b: big }],
    ['text of shared lists', '{{variables.twice |> string}}', rows],
    ['longer text', '{{request.body |> replace(x, {{request.body}})}}', 'x'.repeat(10_000)],
    ['parts of text', '{{request.body |> split(x)}}', big],
    ['joined items', '{{request.body |> join({{variables.separator}})}}', rows],
    ['escapes of text', '{{request.body |> url:encode}}', big],
    ['JSON of text', '{{request.body |> to_json |> to_json}}', big],
    [
      'values of JSON',
      '{{request.body |> from_json}}',
      `[${'[],'.repeat(199_000)}1]`.padEnd(34_000_000),
    ],
    ['capitals', '{{request.body |> upper |> lower}}', big],
    ['members of maps', `{{request.body |> map(a)${' |> tail'.repeat(4)}}}`, maps],
    ['base64', '{{request.body |> base64:encode |> base64:encode |> string}}', big],
    ['lists', `{{request.body${' |> tail'.repeat(5)}}}`, rows],
    ['a list that is referred to again and again', '{{variables.many}}', rows],
    ['text of deep data', '{{request.body |> string}}', nested(5000)],
  ] as const) {
    it(`stop ${title} per request, before it is built`, () => {
      const variables = {
        twice: ['{{request.body}}', '{{request.body}}', '{{request.body}}'],
        separator: 'x'.repeat(40),
        many: Array.from({ length: 50 }, () => '{{request.body}}'),
      }
      expect(errorOf(text, body, variables)).to.contain('larger than 32 MiB')
    })
  }

  it('do not count data that is only passed on', () => {
    expect(errorOf('{{request.body}}', [big, big, big])).to.equal('no error')
    expect(
      errorOf({ a: '{{request.body}}', b: '{{request.path |> string}}' }, [big, big]),
    ).to.equal('request.path is missing')
  })

  it('hold for the values of JSON as for those of a body, at load and per request', () => {
    const wanted = 'from_json: expected the text of JSON, within the limits of a body'
    for (const text of [`[${'1,'.repeat(200_000)}1]`, `${'['.repeat(65)}${']'.repeat(65)}`]) {
      const { issues } = stage1('{{variables.text |> from_json}}', { variables: { text } })
      expect(issues.map(({ message }) => message).join()).to.contain(wanted)
      expect(errorOf('{{request.body |> from_json}}', text)).to.contain(
        wanted.replace('from_json', 'request.body'),
      )
    }
  })

  it('begin anew with each evaluation', () => {
    for (let times = 0; times < 5; times++)
      expect(errorOf('a{{request.body}}', big)).to.equal('no error')
  })

  it('hold for text of a million expressions and for brackets without end', () => {
    const many = compile('{{request.id}}'.repeat(100_001), '/value', scopeOf({}), [])
    expect(many.kind).to.equal('broken')
    for (const text of [
      '{{request.body |> get('.repeat(100_000),
      '{{'.repeat(500_000),
      "{{a '".repeat(100_000),
    ]) {
      expect(stage1(text, {}).issues).to.have.length(1)
    }
  })
})

function nested(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

describe('the steps for items of lists', () => {
  const many = (count: number) => Array.from({ length: count }, (_, id) => ({ id, name: `n${id}` }))
  const limit = 'more than 500000 steps are needed for the items of lists'
  const each = '{{variables.rows |> map({{_.l |> map({{_ |> add(1)}})}})}}'
  const square = (size: number) => Array(size).fill({ l: Array(size).fill(1) })

  for (const [title, value, body] of [
    ['a list of 500,001 items', '{{request.body |> where(id, 1)}}', Array(500_001).fill(1)],
    [
      'an expression of ten steps for each of 60,000',
      `{{request.body |> map({{_.id ${'|> add(1) '.repeat(9)}}})}}`,
      many(60_000),
    ],
    [
      'lists in lists',
      '{{request.body |> map({{_.l |> map({{_ |> add(1)}})}})}}',
      Array(300).fill({ l: Array(1000).fill(1) }),
    ],
    [
      'a test of each item against all others',
      '{{request.body |> where({{_.l |> contains(x)}})}}',
      Array(800).fill({ l: Array(800).fill(1) }),
    ],
    [
      'the order of long texts with one beginning',
      '{{request.body |> sort}}',
      Array.from({ length: 9000 }, (_, at) => 'x'.repeat(3000) + at),
    ],
    [
      'lists that double',
      `{{request.body ${'|> map({{variables.pair}}) |> flatten '.repeat(20)}}}`,
      [1],
    ],
  ] as const) {
    it(`stop ${title}, by the fault of the request`, () => {
      expect(errorOf(value, body, { pair: ['{{_}}', '{{_}}'] }))
        .to.contain('request.body')
        .and.contain(limit)
    })
  }

  it('are one budget for all values of a request', () => {
    const { node } = stage1(['{{request.body |> unique}}', '{{request.body |> reverse}}'], {})
    if (node.kind !== 'list') throw new TypeError('no list')
    const context = contextOf({ request: { body: Array(300_000).fill(1) } })
    node.items.slice(0, 1).map((item) => item.kind === 'deferred' && item.evaluate(context))
    expect(() => node.evaluate(context)).to.throw(limit)
  })

  it('stop at load, as an issue', () => {
    const { issues } = stage1(each, { variables: { rows: square(800) } })
    expect(issues.map(({ message }) => message).join()).to.contain(limit)
  })

  it('stop all lists of a document together while it is loaded', () => {
    const { issues } = stage1(Array(60).fill(each), { variables: { rows: square(300) } })
    expect(issues[0]?.message).to.contain('more than 256 MiB')
  })

  it('are spent once for what does not depend on the item', () => {
    const variables = { by_id: '{{action.result |> key_by(id)}}' }
    const join = '{{request.body |> map({{variables.by_id |> get({{_.id}}) |> get(name)}})}}'
    const { node } = stage1(join, { variables })
    const context = contextOf({ request: { body: many(2000) }, action: { result: many(2000) } })
    if (node.kind !== 'deferred') throw new TypeError('known')
    expect(node.evaluate(context)).to.deep.equal(many(2000).map(({ name }) => name))
  })

  it('bound what is made of constants of the document for each item', () => {
    const big = 'x'.repeat(10_000)
    expect(
      errorOf(
        '{{request.body |> map({{_ |> merge({{variables.big}})}})}}',
        Array(10_000).fill({}),
        { big: { big } },
      ),
    ).to.contain('larger than 32 MiB')
  })
})
