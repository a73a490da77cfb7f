/** Sessions that prove who they are to a router, by every method and by both clients. */
import { createHmac, createPublicKey, pbkdf2Sync, verify } from 'node:crypto'
import { expect } from 'chai'
import type { Authentication, RealmPolicy, Welcome } from '#component/router/ports.ts'
import { Router } from '#component/router/router.ts'
import type { JoinAuth } from '#component/wamp/join-auth.ts'
import { basics, clients } from './support.ts'

const challenge = 'c0ffee'.repeat(10).padEnd(64, '0')
const salted = { challenge, salt: 'salt', iterations: 1000, keylen: 32 }

/** RFC 8032 §7.1, test 1. */
const key = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'
const publicKey = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'

const isSigned = (signature: string): boolean => {
  const der = Buffer.from(`302a300506032b6570032100${publicKey}`, 'hex')
  return verify(
    null,
    Buffer.from(challenge, 'hex'),
    createPublicKey({ key: der, format: 'der', type: 'spki' }),
    Buffer.from(signature.slice(0, 128), 'hex'),
  )
}

const hmac = (secret: string) => createHmac('sha256', secret).update(challenge).digest('base64')
const derived = pbkdf2Sync('pass', 'salt', 1000, 32, 'sha256').toString('base64')

/** Method: what CHALLENGE carries, and what answers it. */
const methods: Readonly<Record<string, [object, (signature: string) => boolean]>> = {
  ticket: [{}, (signature) => signature === 'pass'],
  wampcra: [salted, (signature) => signature === hmac(derived)],
  cryptosign: [{ challenge }, isSigned],
}

const policy: RealmPolicy = {
  hasRealm: () => true,
  authmethods: () => Object.keys(methods),
  isWelcome: () => true,
  isAllowed: () => true,
  async authenticate({ authid, authmethod, authextra }): Promise<Authentication> {
    const [extra, isRight] = methods[authmethod] ?? [{}, () => false]
    const welcome: Welcome = { kind: 'welcome', authid: String(authid), authroles: ['gateway'] }
    if (authmethod === 'cryptosign') expect(authextra.pubkey).to.equal(publicKey)
    return {
      kind: 'challenge',
      challenge: authmethod as 'ticket',
      extra: { ...extra },
      check: async (signature) => (isRight(signature) ? welcome : undefined),
    }
  },
}

for (const [name, open] of clients) {
  describe(`a session of ${name} that authenticates`, () => {
    for (const [what, auth, isWelcome] of [
      ['with a ticket', { authmethod: 'ticket', authid: 'gw', secret: 'pass' }, true],
      ['with a wrong ticket', { authmethod: 'ticket', authid: 'gw', secret: 'x' }, false],
      ['by salted WAMP-CRA', { authmethod: 'wampcra', authid: 'gw', secret: 'pass' }, true],
      ['by WAMP-CRA wrongly', { authmethod: 'wampcra', authid: 'gw', secret: 'x' }, false],
      ['by cryptosign', { authmethod: 'cryptosign', authid: 'gw', key }, true],
      ['without credentials', { authmethod: 'anonymous' }, false],
    ] as const satisfies readonly (readonly [string, JoinAuth, boolean])[]) {
      it(`${isWelcome ? 'joins' : 'does not join'} ${what}`, async () => {
        const router = new Router({ policy })
        const session = open({ ...basics, auth, openLink: router.openLink })
        expect(await session.joined(4000, (reason) => reason !== '')).to.equal(isWelcome)
        if (!isWelcome) expect(session.lastReason).to.match(/^wamp\.error\./)
        await session.leave()
        await router.close()
      })
    }
  })
}
