/** Actions that perform others, as explanations and examples tell them: with the names of branches, and outcomes by these. */
import { expect } from 'chai'
import type { GivenOutcome } from '#component/explain/asked.ts'
import { rehearse } from './rehearse.ts'

const call = (name: string, args: unknown) => ({
  type: 'wamp_call',
  procedure: `com.a.${name}`,
  args: [args],
})

const documentOf = (action: object) => ({
  id: 'com.example.branches',
  host: '_',
  realm_uri: 'com.example.realm',
  versions: {
    '1': {
      base_path: '/v1',
      paths: {
        '/x': {
          get: {
            action,
            response: {
              on_result: {
                body: { result: '{{action.result}}', errors: '{{action.errors |> keys}}' },
              },
              on_error: {},
            },
          },
        },
      },
    },
  },
})

const ask = async (action: object, outcome: unknown) => {
  const { actions, sent } = await rehearse(documentOf(action), {
    request: { method: 'get', path: '/v1/x?n=7' },
    outcome: outcome as GivenOutcome,
  })
  return { actions, body: sent?.body }
}

describe('an explanation of actions at once', () => {
  const action = {
    type: 'parallel',
    optional: ['b'],
    actions: {
      a: call('a', '{{request.query_params.n}}'),
      b: [call('b', 1), call('c', '{{action.result.args |> head}}')],
    },
  }

  it('tells each with its name, in their order', async () => {
    const { actions } = await ask(action, {
      a: { result: {} },
      b: [{ result: { args: [5] } }, { result: {} }],
    })
    expect(actions.map(({ branch, procedure, args }) => [branch, procedure, args])).to.deep.equal([
      ['a', 'com.a.a', ['7']],
      ['b', 'com.a.b', [1]],
      ['b', 'com.a.c', [5]],
    ])
  })

  it('takes outcomes by name', async () => {
    const { body } = await ask(action, {
      b: { error: { error_uri: 'com.a.no' } },
      a: { result: { args: [1] } },
    })
    expect(body).to.deep.include({ errors: ['b'] })
    expect((body as { result: object }).result).to.have.all.keys('a')
  })

  it('tells each item with its position', async () => {
    const each = { type: 'each', items: [3, 4], action: call('a', '{{_}}') }
    const { actions, body } = await ask(each, [
      { result: { args: [1] } },
      { result: { args: [2] } },
    ])
    expect(actions.map(({ branch, args }) => [branch, args])).to.deep.equal([
      ['1', [3]],
      ['2', [4]],
    ])
    expect(
      (body as { result: readonly { args: unknown }[] }).result.map(({ args }) => args),
    ).to.deep.equal([[1], [2]])
  })
})
