/** Examples of operations that send the access token of an identity provider: a stand-in is in its place. */
import { expect } from 'chai'
import { testDocument } from '#component/examples/examples.ts'
import { call, documentOf } from '#test/unit/gateway/fake-exchange.ts'
import { examplePorts } from './ports.ts'

describe('an example of an operation that sends the token of the provider', () => {
  it('expects "example-access-token" where the document says', async () => {
    const examples = {
      right: { expect: { action: { args: ['example-access-token'], session_of: 'example' } } },
      wrong: { expect: { action: { args: ['another one'] } } },
    }
    const get = { ...call({ args: ['{{security.provider_token}}'] }), examples }
    const defaults = { security: { type: 'oidc', provider: 'main' } }
    const { report, issues } = await testDocument(
      documentOf({ '/x': { get } }, { defaults }),
      examplePorts,
    )
    expect(issues).to.deep.equal([])
    expect(report?.results.map(({ problems }) => problems.length)).to.deep.equal([0, 1])
  })
})
