/** Examples of operations under several kinds of credentials: by which one the user passes. */
import { expect } from 'chai'
import { fixed } from '#test/unit/gateway/fake-exchange.ts'
import { problemsOf } from './one-example.ts'

describe('an example of a path with alternatives', () => {
  const any = [
    { type: 'api_key', name: 'machine' },
    {
      all: [
        { type: 'oidc', provider: 'main' },
        { type: 'mtls', authid: 'cn' },
      ],
    },
  ]
  const whoAsks = fixed({ via: '{{security.via}}', proofs: '{{security.proofs}}' })
  const operation = (optional: boolean) => ({
    ...whoAsks,
    security: { any, ...(optional && { optional }) },
  })
  const proofs = [{ name: 'mtls', authid: 'ada' }]
  for (const [what, as, expected, optional] of [
    ['the first by default', undefined, { body: { via: 'machine', proofs: [] } }, false],
    [
      'the one that is named',
      { authid: 'ada', via: 'oidc+mtls' },
      { body: { via: 'oidc+mtls', proofs } },
      false,
    ],
    ['no other one', { authid: 'ada', via: 'other' }, { status: 401 }, false],
    ['none without credentials', null, { status: 401 }, false],
    ['nobody where it is optional', null, { body: { via: 'anonymous', proofs: [] } }, true],
  ] as const) {
    it(`passes by ${what}`, async () => {
      const example = {
        request: { bindings: { id: 'a' } },
        ...(as !== undefined && { as }),
        expect: expected,
      }
      expect(await problemsOf(operation(optional), example)).to.deep.equal([])
    })
  }
})
