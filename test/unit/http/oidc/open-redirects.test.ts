/** Open redirects: hundreds of strings that browsers could be led away with, judged by the parser that browsers use. */
import { expect } from 'chai'
import { oidc } from './fixture.ts'
import { openRedirects } from './open-redirects.ts'

const origin = 'https://app.api.example'
const all = Object.values(openRedirects).flat()

/** Where a browser goes (WHATWG URL); undefined: nowhere. */
const goesTo = (location: unknown): string | undefined =>
  URL.parse(String(location), `${origin}/v1/oidc/login`)?.origin

describe('the strings that redirects are tried with', () => {
  for (const [name, strings] of Object.entries(openRedirects)) {
    it(`are at least 30 of the class ${name}`, () => {
      expect(new Set(strings).size).to.be.at.least(30)
    })
  }

  it('are at least 450, most of which lead browsers elsewhere as they are', () => {
    expect(new Set(all).size).to.be.at.least(450)
    const leaving = all.filter((text) => goesTo(text) !== undefined && goesTo(text) !== origin)
    expect(leaving.length).to.be.at.least(250)
  })
})

describe('no redirect_uri leads a browser away', () => {
  for (const [name, strings] of Object.entries(openRedirects)) {
    it(`at login: ${name}`, async () => {
      for (const text of strings) {
        const { ask, begun } = oidc()
        const shown = JSON.stringify(text)
        const reply = await ask(`GET /v1/oidc/login?redirect_uri=${encodeURIComponent(text)}`)
        if (reply.status === 302) {
          expect(goesTo(begun[0]?.redirect_uri), shown).to.equal(origin)
          continue
        }
        expect([reply.status, reply.value], shown).to.deep.equal([
          400,
          { error: 'invalid_redirect_uri' },
        ])
        expect(begun, shown).to.deep.equal([])
      }
    })

    it(`at logout: ${name}`, async () => {
      for (const text of strings) {
        const { ask, loggedOut } = oidc()
        const reply = await ask(`GET /v1/oidc/logout?redirect_uri=${encodeURIComponent(text)}`)
        expect(reply.status).to.equal(302)
        for (const place of [reply.headers.location, loggedOut[0]?.redirect_uri]) {
          expect(goesTo(place), JSON.stringify(text)).to.equal(origin)
        }
      }
    })

    it(`after the callback: ${name}`, async () => {
      for (const redirect_uri of strings) {
        const { ask } = oidc({ finish: { redirect_uri } })
        const { status, headers } = await ask('GET /v1/oidc/acme/callback?code=c&state=s')
        expect(status).to.equal(302)
        expect(goesTo(headers.location), JSON.stringify(redirect_uri)).to.equal(origin)
      }
    })
  }

  it('where a provider lists an origin, it alone is open', async () => {
    const allowed_redirect_uris = ['https://spa.example']
    const { ask, begun } = oidc({ settings: { allowed_redirect_uris } })
    for (const text of all) {
      await ask(`GET /v1/oidc/login?redirect_uri=${encodeURIComponent(text)}`)
    }
    for (const { redirect_uri } of begun) {
      expect([origin, 'https://spa.example']).to.include(goesTo(redirect_uri))
    }
  })
})

describe('a redirect_uri that is a path of this origin', () => {
  for (const path of [
    '/',
    '/app',
    '/a/b;c=d/@e',
    '/a?b=c&d=%C3%A9',
    '/#/route?x=1',
    "/~user/$&'()*+,",
    '/a//b',
    '/x?next=http://y',
  ]) {
    it(`is taken as it is: ${path}`, async () => {
      const { ask, begun } = oidc()
      const { status } = await ask(`GET /v1/oidc/login?redirect_uri=${encodeURIComponent(path)}`)
      expect([status, begun[0]?.redirect_uri]).to.deep.equal([302, path])
    })
  }
})
