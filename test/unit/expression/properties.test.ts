/** Properties that hold for every expression: nothing but ExpressionError, one meaning in both stages, text and back. */
import { expect } from 'chai'
import fc from 'fast-check'
import { ExpressionError } from '#component/errors.ts'
import type { Argument, Expression } from '#component/expression/ast.ts'
import { functionNames } from '#component/expression/functions/functions.ts'
import { parseExpression } from '#component/expression/parser.ts'
import { contextOf, evaluateText, type Given, stage1 } from './context.ts'
import { tellingProbe } from './probes.ts'

const plainKey = fc.constantFrom('a', 'b', 'content-type', 'constructor', 'x1', 'ü', '5', '@~/$%>')
const anyText = fc.string({ unit: 'binary', maxLength: 8 })

/** Values as JSON and MessagePack bring them, without braces in texts. */
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(
      null,
      true,
      false,
      '',
      '7',
      '2.5',
      'text',
      2n ** 63n,
      9007199254740993n,
    ),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ maxLength: 6 }).map((text) => text.replaceAll('{', '(')),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(plainKey, tie('value'), { maxKeys: 4 }),
  ),
})).value

const { expression } = fc.letrec<{ expression: Expression; argument: Argument }>((tie) => ({
  argument: fc.oneof(
    { maxDepth: 3 },
    fc.record({ kind: fc.constant('text' as const), text: anyText }),
    fc.record({ kind: fc.constant('map' as const) }),
    fc.record({ kind: fc.constant('expression' as const), expression: tie('expression') }),
  ) as fc.Arbitrary<Argument>,
  expression: fc.record({
    keys: fc.array(plainKey, { minLength: 1, maxLength: 3 }),
    pipes: fc.array(
      fc.record({
        name: fc.constantFrom(...functionNames, 'nope'),
        arguments: fc.array(tie('argument'), { maxLength: 2 }),
      }),
      { maxLength: 4 },
    ),
  }) as unknown as fc.Arbitrary<Expression>,
}))

const printArgument = (argument: Argument): string => {
  if (argument.kind === 'text') return `'${argument.text.replaceAll("'", "''")}'`
  return argument.kind === 'expression' ? print(argument.expression) : '$map'
}

function print({ keys, pipes }: Expression, blank = ''): string {
  const calls = pipes.map(({ name, arguments: args }) => {
    const list = args.map(printArgument).join(`${blank},${blank}`)
    return `${blank}|>${blank}${name}${args.length > 0 ? `(${list})` : ''}`
  })
  return `{{${blank}${keys.join('.')}${calls.join('')}${blank}}}`
}

/** The tree without its offsets. */
const bare = (tree: unknown): unknown =>
  JSON.parse(
    JSON.stringify(tree, (key, part) => (key === 'start' || key === 'end' ? undefined : part)),
  )

const call = fc.constantFrom(
  ...'integer,float,boolean,string,abs,head,last,tail,nth(1),nth(2),min,max,min(3),max(3),length,size'.split(
    ',',
  ),
  ...'base64:encode,base64:decode,get(a),merge($map),merge($map|_),with([a|b]),without([a|x1])'.split(
    ',',
  ),
  ...'default(x),default({{$.w}}),equal(a),equal({{$.w}}),equal(_|1),less(7),greater({{$.w}}),if(a|b),if({{$.w}}|1),url:encode'.split(
    ',',
  ),
  ...'add(1),sub({{$.w}}),mul(2),join,join(-),split,split(a),map(a),lower,upper,replace(a|b),to_json,from_json'.split(
    ',',
  ),
  ...'where(a),where(a|1),where({{_}}),sort,sort(a|desc),sort({{_}}),group(a),key_by(a),sum,sum(a),unique,unique({{_.a}}),map({{_}})'.split(
    ',',
  ),
  ...'flatten,concat([a|1]),reverse,slice(1),slice(2|1),contains(a),contains([a]),keys,values,entries,from_entries'.split(
    ',',
  ),
  ...'get(a|b),put(a|1),put(b|{{$.w}}),merge({{$.w}}),merge({{$.w}}|_),get(b|{{$.w}})'.split(','),
)

describe('every expression', () => {
  it('is parsed to the tree that it was printed from, whatever the white space', () => {
    fc.assert(
      fc.property(expression, fc.constantFrom('', ' ', '\n\t '), (tree, blank) => {
        const text = print(tree, blank)
        const parsed = parseExpression(text, '', 0)
        expect(parsed.end).to.equal(text.length)
        expect(bare(parsed.expression)).to.deep.equal(bare(tree))
      }),
    )
  })

  it('compiles or is an issue, and then yields a value or an ExpressionError', () => {
    const roots = fc.constantFrom('request.body', 'variables.v', 'variables.w', 'variables')
    fc.assert(
      fc.property(expression, roots, value, value, (tree, root, v, w) => {
        const given: Given = {
          variables: { v, w: { w, x: '{{request.body}}' } },
          request: { body: v },
        }
        evaluateText(print({ ...tree, keys: [...root.split('.'), ...tree.keys.slice(1)] }), given)
      }),
      { numRuns: 500 },
    )
  })

  it('yields with a probe what it yields without one, and tells the probe so', () => {
    const roots = fc.constantFrom('request.body', 'variables.v', 'variables.w', 'variables.w.x')
    fc.assert(
      fc.property(roots, value, value, fc.array(call, { maxLength: 4 }), (root, v, w, calls) => {
        const pipes = calls.map((name) => ` |> ${name.replaceAll('|', ', ')}`).join('')
        const text = `{{${root}${pipes.replaceAll('$.', 'variables.')}}}`
        const given: Given = {
          variables: { v, w: { w, a: v, x: '{{request.body}}' } },
          request: { body: v },
        }
        const { probe, told } = tellingProbe()
        const watched = evaluateText(text, given, probe)
        expect(watched).to.deep.equal(evaluateText(text, given))
        const own = told.findLast(({ expression }) => expression === text)
        if (watched.error === undefined) expect(own?.value).to.deep.equal(watched.result)
        else if (watched.stage1 === 'deferred') expect(own?.error).to.contain(watched.error)
      }),
      { numRuns: 2000 },
    )
  })

  it('is an issue at most, whatever text it is', () => {
    const pieces = fc.constantFrom(
      '{{',
      '}}',
      '|>',
      '(',
      ')',
      '[',
      ']',
      ',',
      "'",
      '"',
      '_',
      '$map',
      ' ',
      '.',
      'request',
      'get',
    )
    const soup = fc
      .array(fc.oneof(pieces, anyText), { maxLength: 12 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(soup, (text) => {
        const { node, issues } = stage1(text, {})
        expect(node.kind === 'broken').to.equal(issues.length > 0)
      }),
      { numRuns: 1000 },
    )
  })

  it('means in stage 2 what it means in stage 1', () => {
    fc.assert(
      fc.property(value, value, fc.array(call, { maxLength: 4 }), (v, w, calls) => {
        const pipes = calls.map((name) => ` |> ${name.replaceAll('|', ', ')}`).join('')
        const text = `{{$.v${pipes}}}`
        const data = { v, w }
        const early = evaluateText(text.replaceAll('$.', 'variables.'), { variables: data })
        const late = evaluateText(text.replaceAll('$.', 'request.body.'), {
          request: { body: data },
        })
        expect(early.result).to.deep.equal(late.result)
        expect(early.error === undefined).to.equal(late.error === undefined)
      }),
      { numRuns: 2000 },
    )
  })

  it('means the same with members that wait and with members that are known', () => {
    fc.assert(
      fc.property(value, value, fc.array(call, { maxLength: 4 }), (v, w, calls) => {
        const partlyOf = (length: number) =>
          evaluateText(piped(calls.slice(0, length)), {
            variables: { v: { a: '{{request.body.v}}', x1: v, b: ['{{request.body.v}}', w] }, w },
            request: { body: { v } },
          })
        const fullyOf = (length: number) =>
          evaluateText(piped(calls.slice(0, length)), {
            variables: { v: { a: v, x1: v, b: [v, w] }, w },
          })
        const partly = partlyOf(calls.length)
        const fully = fullyOf(calls.length)
        // a wrong argument is found at load, unless "" is known to be piped into its function
        const wrong = calls.findIndex((_, index) => partlyOf(index + 1).error !== undefined)
        if (wrong >= 0 && fullyOf(wrong).result === '') return
        expect(partly.result).to.deep.equal(fully.result)
        expect(partly.error === undefined).to.equal(fully.error === undefined)
      }),
      { numRuns: 1000 },
    )
  })

  it('joined to texts is the texts of its parts in their order', () => {
    const text = fc
      .string({ maxLength: 5 })
      .map((piece) => piece.replaceAll('{', '').replaceAll('"', ''))
    fc.assert(
      fc.property(text, value, text, value, fc.boolean(), (before, v, between, w, isQuoted) => {
        const body = { v, w }
        const quote = isQuoted ? '"' : ''
        const joined = `${quote}${before}{{request.body.v}}${between}{{request.body.w}}${quote}`
        const { result } = evaluateText(joined, { request: { body } })
        const textOf = (part: string) =>
          stageTwo(`{{request.body.${part} |> string}}`, { request: { body } })
        expect(result).to.equal(`${before}${textOf('v')}${between}${textOf('w')}`)
      }),
    )
  })
})

const piped = (calls: readonly string[]): string => {
  const pipes = calls.map((name) => ` |> ${name.replaceAll('|', ', ')}`).join('')
  return `{{$.v${pipes}}}`.replaceAll('$.', 'variables.')
}

function stageTwo(text: string, given: Given): unknown {
  const { node } = stage1(text, given)
  if (node.kind === 'broken') throw new ExpressionError('broken')
  return node.evaluate(contextOf(given))
}
