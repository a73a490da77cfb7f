/** Names and passwords are compared in NFC (RFC 7617 §2.1, RFC 8265): keyboards and systems write one text in several ways. */
import { expect } from 'chai'
import type { InvalidSpecError } from '#component/errors.ts'
import { Logins } from '#component/realm/logins.ts'
import { BasicScheme } from '#component/security/basic/authenticate.ts'
import { FakeAttempts, outcomeOf, protectedBy, requestWith } from '#test/unit/security/doubles.ts'
import { realmsWith } from './doubles.ts'

const uri = 'com.example.realm'
/** One name and one password, in both forms. */
const forms = { NFC: ['Zoë', 'pä\u00dfwörd é'], NFD: ['Zoë', 'pä\u00dfwörd é'] } as const
const written = (form: 'NFC' | 'NFD') => forms[form].map((text) => text.normalize(form))

const documentIn = (form: 'NFC' | 'NFD') => {
  const [username = '', password = ''] = written(form)
  return {
    uri,
    authmethods: ['ticket', 'password'],
    users: [{ username, password, groups: ['büro'.normalize(form)] }],
    sources: ['ticket', 'password'].map((authmethod) => ({
      ...{ usernames: [username], authmethod, cidr: '0.0.0.0/0' },
    })),
    grants: [{ roles: ['büro'.normalize('NFC')], permissions: ['wamp.call'], uri: 'com.a' }],
  }
}

describe('names and passwords in several ways to write them', () => {
  for (const declared of ['NFC', 'NFD'] as const) {
    for (const sent of ['NFC', 'NFD'] as const) {
      const [username = '', password = ''] = written(sent)
      it(`are the same: declared in ${declared}, sent in ${sent}`, async () => {
        const { realms } = await realmsWith()
        await realms.load(documentIn(declared))
        const logins = new Logins({ realms })
        const login = (secret = password) => logins.password(uri, username, secret, '192.0.2.1')
        expect((await login())?.user.username).to.equal('Zoë'.normalize())
        expect((await login())?.roles).to.deep.equal(['büro'.normalize()])
        expect(await login(`${password}x`)).to.equal(undefined)
        expect(await login('passwort'), 'no letter is another').to.equal(undefined)
        expect(realms.realm(uri)?.grants[0]?.roles.has('büro'.normalize())).to.equal(true)

        const scheme = new BasicScheme({ logins, attempts: new FakeAttempts(3) })
        const credentials = Buffer.from(`${username}:${password}`).toString('base64')
        const request = requestWith({ authorization: `Basic ${credentials}` })
        const protection = { ...protectedBy('basic'), realm_uri: uri }
        const outcome = await outcomeOf(() => scheme.authenticate(request, protection))
        expect(outcome).to.include({ authid: 'Zoë'.normalize() })
      })
    }
  }

  it('are two users of one name nowhere', async () => {
    const { realms } = await realmsWith()
    const users = [...documentIn('NFC').users, ...documentIn('NFD').users]
    const issues = await realms.load({ ...documentIn('NFC'), users }).then(
      () => [],
      (error: InvalidSpecError) => error.issues,
    )
    expect(issues.map(({ path }) => path)).to.deep.equal(['/users/1/username'])
  })
})
