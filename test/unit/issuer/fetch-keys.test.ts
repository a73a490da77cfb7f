/** Where the keys of an issuer are looked for, and which addresses an issuer may lead to. */
import { expect } from 'chai'
import { CheckedFetch } from '#component/action/checked-fetch.ts'
import { systemClock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { fetchKeys } from '#component/issuer/fetch-keys.ts'

describe('fetching the keys of an issuer', () => {
  const site = { issuer: 'https://id.example/a/', jwks_uri: undefined, allow_unsafe_http: false }

  /** The URLs that were asked for, and whether their addresses may be private. */
  async function asked(answers: Readonly<Record<string, unknown>>, more: object = {}) {
    const urls: unknown[][] = []
    const keys = await fetchKeys({ ...site, ...more }, async (url, _request, isFixed) => {
      urls.push([url, isFixed])
      const body = answers[url]
      return Response.json(body ?? {}, { status: body === undefined ? 404 : 200 })
    }).catch((error: Error) => error.message)
    return { urls, keys }
  }

  const openid = 'https://id.example/a/.well-known/openid-configuration'

  it('looks for the metadata of an issuer with a path where both documents have them', async () => {
    const { urls, keys } = await asked({})
    expect(urls).to.deep.equal([
      [openid, true],
      ['https://id.example/.well-known/oauth-authorization-server/a', true],
    ])
    expect(keys).to.equal(`${openid} returned the status 404`)
  })

  it('lets the issuer lead to public addresses only, off its own origin', async () => {
    for (const [jwks_uri, isFixed] of [
      ['https://id.example/keys', true],
      ['https://keys.example/a', false],
      ['https://10.0.0.1/keys', false],
    ] as const) {
      const found = await asked({
        [openid]: { issuer: site.issuer, jwks_uri },
        [jwks_uri]: { keys: [] },
      })
      expect(found).to.deep.equal({
        urls: [
          [openid, true],
          [jwks_uri, isFixed],
        ],
        keys: { keys: [] },
      })
    }
  })

  it('connects to no private address that the issuer names', async () => {
    const outside = new CheckedFetch({ clock: systemClock })
    for (const jwks_uri of ['https://10.0.0.1/keys', 'https://127.0.0.1/keys', 'https://[::1]/']) {
      const failure = await fetchKeys(site, async (url, request, isFixed) =>
        url === openid
          ? Response.json({ issuer: site.issuer, jwks_uri })
          : await outside.fetch(url, request, isFixed),
      ).catch((error: unknown) => error)
      expect(failure, jwks_uri)
        .to.be.instanceOf(ServiceError)
        .and.have.property('uri', 'wamp.error.not_authorized')
    }
    await outside.close()
  })

  it('lets the realm name a private address, and nobody http', async () => {
    const jwks_uri = 'https://10.0.0.1/keys'
    const { urls } = await asked({ [jwks_uri]: { keys: [] } }, { jwks_uri })
    expect(urls).to.deep.equal([[jwks_uri, true]])
    const plain = 'http://id.example/keys'
    const found = await asked({ [openid]: { issuer: site.issuer, jwks_uri: plain } })
    expect(found.keys).to.equal(`${plain}: expected https`)
  })
})
