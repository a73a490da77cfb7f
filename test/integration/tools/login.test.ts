/** A person logs in to an assistant: the official client finds the issuer of the endpoint by itself, and comes back with a token. */
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { expect } from 'chai'
import { RealProvider } from '#test/integration/oidc/real-provider.ts'
import { toolsDocument } from '#test/support/examples/tools-api.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'

const realm = 'com.example.realm'
const scope = 'orders:read'
const redirect_uri = 'https://assistant.example/callback'

const whoAmI = {
  security: { type: 'jwt', issuer: 'corp', scopes: [scope] },
  get: {
    tool: { name: 'who_am_i', description: 'The name of the user.' },
    action: { type: 'static', body: { authid: '{{security.authid}}' } },
    response: { on_result: {}, on_error: {} },
  },
}

/** What a client keeps of a login, in memory. */
class Login {
  readonly redirectUrl = redirect_uri
  readonly clientMetadata = { redirect_uris: [redirect_uri], token_endpoint_auth_method: 'none' }
  /** Where the browser is sent to. */
  location = ''
  #tokens: object | undefined
  #verifier = ''

  readonly clientInformation = () => ({ client_id: 'app' })
  readonly tokens = () => this.#tokens as never
  readonly saveTokens = (tokens: object) => {
    this.#tokens = tokens
  }
  readonly redirectToAuthorization = (url: URL) => {
    this.location = url.href
  }
  readonly saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier
  }
  readonly codeVerifier = () => this.#verifier
}

describe('a login in a browser for an assistant', () => {
  let gateway: TestGateway
  let provider: RealProvider
  let endpoint: string

  before(async () => {
    gateway = await startGateway({}, { isEmbedded: true })
    endpoint = `${gateway.url}/v1/mcp`
    const resource = { scope, audience: endpoint, accessTokenFormat: 'jwt' }
    provider = await RealProvider.open({
      client: { token_endpoint_auth_method: 'none' },
      redirect_uri,
      features: {
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: () => ({ ...resource, jwt: { sign: { alg: 'RS256' } } }),
        },
      },
    })
    const { issuer } = provider
    const corp = { issuer, audience: [endpoint], allow_unsafe_http: true }
    const body = {
      ...{ uri: realm, authmethods: ['jwt'], info: { jwt_issuers: { corp } } },
      sources: [{ usernames: 'all', authmethod: 'jwt', cidr: '127.0.0.0/8' }],
    }
    const loaded = await send(gateway.adminUrl, '/realms', { method: 'POST', body })
    expect(loaded.status, loaded.text).to.be.oneOf([200, 201])
    const document = { ...toolsDocument({ '/me': whoAmI }), realm_uri: realm }
    const { status, body: answer } = await gateway.load(document)
    expect(status, JSON.stringify(answer)).to.equal(201)
  })
  after(async () => {
    await gateway?.stop()
    await provider?.close()
  })

  for (const mode of ['auto', 'legacy'] as const) {
    it(`begins at the 401 of the endpoint, and ends with a call as the user (${mode})`, async () => {
      const authProvider = new Login()
      const open = () => {
        const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
        const transport = new StreamableHTTPClientTransport(new URL(endpoint), { authProvider })
        return { client, transport }
      }
      const first = open()
      const refusal = await first.client.connect(first.transport).then(
        () => undefined,
        (error: unknown) => error,
      )
      expect(refusal).to.be.instanceOf(UnauthorizedError)
      const asked = new URL(authProvider.location)
      expect(asked.origin).to.equal(provider.issuer)
      expect(asked.searchParams.get('resource')).to.equal(endpoint)
      expect(asked.searchParams.get('code_challenge_method')).to.equal('S256')
      expect(asked.searchParams.get('scope')).to.include(scope)
      const back = new URL(await provider.authorize(authProvider.location))
      await first.transport.finishAuth(back.searchParams)

      const { client, transport } = open()
      await client.connect(transport)
      const { structuredContent } = await client.callTool({ name: 'who_am_i', arguments: {} })
      expect(structuredContent).to.deep.equal({ authid: `corp|${provider.user}` })
      await client.close()
    })
  }
})
