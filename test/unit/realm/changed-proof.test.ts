/** A client that has said HELLO and answers its CHALLENGE later, when its user is not what it was. */
import { expect } from 'chai'
import { credentials } from '#component/wamp/join-auth.ts'
import { policyOver, realmsWith } from './doubles.ts'
import { outside } from './joining.ts'

const uri = 'com.example.realm'
const key = '4ffddd896a530ce5ee8c86b83b0d31835490a97a9cd718cb2f09c9fd31c4a7d7'

/** The public half of the key. */
const { pubkey } = credentials({ authmethod: 'cryptosign', authid: 'ada', key }).authextra
const document = (user: object) => ({
  uri,
  authmethods: ['ticket', 'wampcra', 'cryptosign'],
  users: [{ username: 'ada', password: 'old', authorized_keys: [pubkey], ...user }],
})

describe('a proof that is asked for before its user changes, and given after that', () => {
  for (const auth of [
    { authmethod: 'ticket', authid: 'ada', secret: 'old' },
    { authmethod: 'wampcra', authid: 'ada', secret: 'old' },
    { authmethod: 'cryptosign', authid: 'ada', key },
  ] as const) {
    for (const [what, user, isLetIn] of [
      ['nothing that proves who it is', { groups: ['guests'] }, true],
      ['its password', { password: 'new' }, false],
      ['its keys', { authorized_keys: [] }, false],
      ['all: it is disabled', { enabled: false }, false],
    ] as const) {
      it(`is ${isLetIn ? 'good' : 'worth nothing'} by ${auth.authmethod} when that was ${what}`, async () => {
        const { realms } = await realmsWith()
        await realms.load(document({}))
        const client = credentials(auth)
        const answer = await policyOver(realms).authenticate({
          ...{ realm: uri, session: 7, authid: 'ada', peer: outside },
          ...{ authmethod: auth.authmethod, authextra: client.authextra },
        })
        if (answer.kind !== 'challenge') throw new Error(answer.kind)
        await realms.load(document(user))
        const signature = await client.answer(answer.challenge, answer.extra)
        expect((await answer.check(signature))?.authid).to.equal(isLetIn ? 'ada' : undefined)
      })
    }
  }
})
