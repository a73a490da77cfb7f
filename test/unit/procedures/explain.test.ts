/** The procedure that explains requests: what it passes on of its arguments. */
import { expect } from 'chai'
import { perform } from '#procedures/definition/procedure.ts'
import { ada, find, managementOf } from './doubles.ts'

describe('service.explain_request', () => {
  const request = { path: '/x' }
  const caller = { by: ada.by }

  it('leaves out arguments that are null or absent', async () => {
    const { management } = await managementOf()
    const asked = async (...args: unknown[]) =>
      (await perform(find('explain_request'), management, args, ada)).value
    expect(await asked(request)).to.deep.equal({ asked: { request }, caller })
    expect(await asked(request, null, { result: {} })).to.deep.equal({
      asked: { request, outcome: { result: {} } },
      caller,
    })
    expect(await asked(request, 'anonymous', undefined, {})).to.deep.equal({
      asked: { request, as: 'anonymous', api_spec: {} },
      caller,
    })
    const invocation = { procedure: 'a.b' }
    expect(await asked(null, null, null, null, invocation)).to.deep.equal({
      asked: { invocation },
      caller,
    })
  })

  it('keeps operators of one realm within it', async () => {
    const { management } = await managementOf()
    const within = { ...ada, within: 'com.example' }
    const { value } = await perform(find('explain_request'), management, [request], within)
    expect(value).to.deep.include({ caller: { ...caller, within: 'com.example' } })
  })
})
