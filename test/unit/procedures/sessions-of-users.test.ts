/** The procedures that log a user out everywhere, and list where it is logged in: who is meant, what ends, and who may call them. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { type Caller, perform } from '#procedures/definition/procedure.ts'
import { ada, find, managementOf } from './doubles.ts'

const uri = 'com.example.test'

/** Management with a realm in it, to be asked by name. */
async function opened() {
  const found = await managementOf()
  await found.realms.load({ uri, users: [{ username: 'bob', password: 'one' }] })
  const ask = (name: string, args: readonly unknown[], caller: Caller = ada) =>
    perform(find(name), found.management, args, caller)
  const code = (...parameters: Parameters<typeof ask>) =>
    ask(...parameters).then(
      () => undefined,
      (cause: unknown) => (cause instanceof ServiceError ? cause.uri : cause),
    )
  return { ...found, ask, code }
}

const bob: Caller = { by: 'bob', access: undefined, user: { realm_uri: uri, authid: 'bob' } }
const denied = 'wamp.error.not_authorized'

describe('service.list_sessions', () => {
  it('is for readers of the realm, and for users themselves', async () => {
    const { ask, code } = await opened()
    const reader: Caller = { by: 'rita', access: 'read', within: uri }
    for (const [args, caller] of [
      [[uri], reader],
      [[uri, 'bob'], reader],
      [[uri, 'bob'], bob],
    ] as const) {
      const { value } = await ask('list_sessions', args, caller)
      expect(value).to.deep.equal({ realm_uri: uri, authid: args[1] })
    }
    for (const args of [[uri], [uri, 'eve'], ['com.example.other', 'bob']]) {
      expect(await code('list_sessions', args, bob), args.join()).to.equal(denied)
    }
    expect(await code('list_sessions', ['com.example.other'], reader)).to.equal(denied)
    expect(await code('list_sessions', ['com.nowhere'])).to.equal('service.error.not_found')
  })
})

describe('service.end_sessions', () => {
  it('ends what a user has logged in to, and no API key', async () => {
    const { ask, apiKeys, management, revocations } = await opened()
    const { api_key } = await apiKeys.issue(uri, 'bob')
    const { value } = await ask('end_sessions', [uri, 'bob'])
    expect(value).to.deep.equal({ uri, authid: 'bob' })
    expect(revocations.notBefore(uri, 'bob')).to.be.at.least(management.clock.now() / 1_000)
    expect(apiKeys.find(api_key)).to.include({ username: 'bob' })
  })

  it('ends the tickets of a person at a provider', async () => {
    const { ask, code, endedSubjects } = await opened()
    const { value } = await ask('end_sessions', [uri, undefined, 'acme', 'sub-1'])
    expect(value).to.deep.equal({ uri, provider: 'acme', sub: 'sub-1' })
    expect(endedSubjects).to.deep.equal([[uri, 'sub-1']])
    const unknown = [uri, undefined, 'other', 'sub-1']
    expect(await code('end_sessions', unknown)).to.equal('service.error.not_found')
  })

  for (const args of [[uri], [uri, 'bob', 'acme', 'sub-1'], [uri, undefined, 'acme']]) {
    it(`does not guess who is meant by ${args.length} arguments`, async () => {
      const { code } = await opened()
      expect(await code('end_sessions', args)).to.equal('wamp.error.invalid_argument')
    })
  }

  it('is for users themselves, and for operators of the realm', async () => {
    const { ask, code } = await opened()
    expect((await ask('end_sessions', [uri, 'bob'], bob)).value).to.include({ authid: 'bob' })
    for (const args of [
      [uri, 'eve'],
      ['com.example.other', 'bob'],
      [uri, 'bob', 'acme', 'sub-1'],
      [uri, undefined, 'acme', 'sub-1'],
    ]) {
      expect(await code('end_sessions', args, bob), args.join()).to.equal(denied)
    }
    const reader: Caller = { by: 'rita', access: 'read' }
    expect(await code('end_sessions', [uri, 'bob'], reader)).to.equal(denied)
    expect(await code('end_sessions', ['com.nowhere', 'bob'])).to.equal('service.error.not_found')
  })
})
