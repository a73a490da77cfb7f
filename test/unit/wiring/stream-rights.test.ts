/** What open streams are told of users: revoked credentials and changed realms. */
import { expect } from 'chai'
import { type Identity, identityOf } from '#component/identity.ts'
import { followUsers, mayBeRevoked } from '#component/wiring/streams/stream-rights.ts'

const login = (name: string, authmethod: string, session?: string) =>
  identityOf({
    ...{ realm_uri: 'com.example', authroles: [], authmethod },
    user: { username: name, groups: [], meta: {} },
    ...(session !== undefined && { session }),
  })

const streams = {
  'token of ada': login('ada', 'password', 't1'),
  'password of ada': login('ada', 'basic'),
  'key of joe': login('joe', 'api_key', 'k1'),
  'other key of joe': login('joe', 'api_key', 'k2'),
  'ada of another realm': identityOf({
    ...{ realm_uri: 'com.example.other', authroles: [], authmethod: 'basic' },
    user: { username: 'ada', groups: [], meta: {} },
  }),
}

const namesOf = (which: (identity: Identity) => boolean) =>
  Object.entries(streams).flatMap(([name, identity]) => (which(identity) ? [name] : []))

describe('what is revoked', () => {
  const ada = { realm_uri: 'com.example', authid: 'ada' }

  it('concerns the streams of its users, and of its realm only', () => {
    expect(namesOf(mayBeRevoked({ users: [ada], hasTokens: false }))).to.deep.equal([
      'token of ada',
      'password of ada',
    ])
  })

  it('concerns all streams with tokens and tickets when there are some among it', () => {
    expect(namesOf(mayBeRevoked({ users: [], hasTokens: true }))).to.deep.equal([
      'token of ada',
      'key of joe',
      'other key of joe',
    ])
  })
})

describe('a node', () => {
  /** The users of a node, and what its streams are told. */
  function open() {
    const told: unknown[] = []
    const users = {
      apiKeys: { onRevoked: (_ids: ReadonlySet<string>): void => undefined },
      realms: {
        async onChange(uris: readonly string[]) {
          await Promise.resolve()
          told.push(`the router follows ${uris.join()}`)
        },
      },
    }
    followUsers({
      users: users as never,
      reauthentication: { recheck: (which = () => true) => told.push(namesOf(which)) },
      regrants: { add: (uris) => told.push(`grants of ${uris.join()}`) },
    })
    return { users, told }
  }

  it('judges the streams of an API key again when it is revoked', () => {
    const { users, told } = open()
    users.apiKeys.onRevoked(new Set(['k1', 't1']))
    expect(told).to.deep.equal([['key of joe']])
  })

  it('judges all streams and their topics again once the router follows a changed realm', async () => {
    const { users, told } = open()
    await users.realms.onChange(['com.example'])
    expect(told).to.deep.equal([
      'the router follows com.example',
      Object.keys(streams),
      'grants of com.example',
    ])
  })
})
