/** What a probe is told of expressions. */
import { expect } from 'chai'
import { evaluateText, type Given } from './context.ts'
import { type Told, tellingProbe } from './probes.ts'

/** The evaluations of one value, in the order in which they end. */
function toldOf(value: unknown, given: Given): Told[] {
  const { probe, told } = tellingProbe()
  evaluateText(value, given, probe)
  return told
}

describe('a probe of expressions', () => {
  it('is told the place, the path, each function with its arguments, and the value', () => {
    const told = toldOf('id {{request.body.n |> integer |> add({{request.body.m}})}}', {
      request: { body: { n: '7', m: 3 } },
    })
    expect(told).to.deep.equal([
      {
        ...{ at: '/value', expression: '{{request.body.m}}', column: 39, stage: 2 },
        ...{ steps: [['request.body.m', 3]], value: 3 },
      },
      {
        at: '/value',
        expression: '{{request.body.n |> integer |> add({{request.body.m}})}}',
        ...{ column: 4, stage: 2, value: 10 },
        steps: [
          ['request.body.n', '7'],
          ['integer', [], 7],
          ['add', [3], 10],
        ],
      },
    ])
  })

  it('is told at load of what is known then', () => {
    const told = toldOf('{{variables.n |> add(1)}}', { variables: { n: 41 } })
    expect(told).to.deep.equal([
      {
        ...{
          at: '/value',
          expression: '{{variables.n |> add(1)}}',
          column: 1,
          stage: 1,
          value: 42,
        },
        steps: [
          ['variables.n', 41],
          ['add', [1], 42],
        ],
      },
    ])
  })

  it('is told of a variable at the place of the variable, and of what uses it', () => {
    const told = toldOf('{{variables.who |> upper}}', {
      variables: { who: '{{request.body.name}}' },
      request: { body: { name: 'ada' } },
    })
    expect(told.map(({ at, value }) => [at, value])).to.deep.equal([
      ['/variables/who', 'ada'],
      ['/value', 'ADA'],
    ])
  })

  it('is told of functions that were folded with parts that wait for the request', () => {
    const told = toldOf('{{variables.list |> nth(2) |> upper}}', {
      variables: { list: ['a', '{{request.body}}'] },
      request: { body: 'b' },
    })
    expect(told.at(-1)?.steps).to.deep.equal([
      ['variables.list', undefined],
      ['nth', [2], 'b'],
      ['upper', [], 'B'],
    ])
  })

  it('is told only the arguments that were needed', () => {
    const told = toldOf('{{request.body.a |> if({{request.body.b}}, {{request.body.c}})}}', {
      request: { body: { a: true, b: 1, c: 2 } },
    })
    expect(told.map(({ expression, value }) => [expression, value])).to.deep.equal([
      ['{{request.body.b}}', 1],
      ['{{request.body.a |> if({{request.body.b}}, {{request.body.c}})}}', 1],
    ])
    expect(told[1]?.steps[1]).to.deep.equal(['if', [1, undefined], 1])
  })

  it('is told of the failure, after the steps before it', () => {
    const told = toldOf('{{request.body |> get(a) |> integer}}', { request: { body: { a: 'x' } } })
    expect(told[0]?.steps).to.deep.equal([
      ['request.body', { a: 'x' }],
      ['get', ['a'], 'x'],
    ])
    expect(told[0]?.error).to.contain('^^^^^^^')
  })

  it('is told the expression as it is written, whatever braces its texts hold', () => {
    const text = "{{request.body |> get('}}', '{{')}}"
    const told = toldOf(`a ${text} b`, { request: { body: {} } })
    expect(told[0]).to.include({ expression: text, column: 3, value: '{{' })
  })
})
