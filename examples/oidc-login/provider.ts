/** The identity provider of the OIDC example, which believes everybody's name, and the server of the page's file. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Provider } from 'oidc-provider'

const [issuer = 'http://127.0.0.1:18083', origin = 'http://localhost:18080', ...others] =
  process.argv.slice(2)

/** What the realm calls this provider. */
const names = ['main', ...others]

const page = readFileSync(join(import.meta.dirname, 'index.html'))
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

const html = (body: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Provider</title><body>${body}</body></html>`

const loginPage = html(`<h1>Who are you?</h1>
  <form method="post"><input name="name" required autofocus aria-label="Name"><button>Log in</button>
  <button name="cancel" value="yes" formnovalidate>Cancel</button></form>`)

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'notes',
      client_secret: process.env.NOTES_SECRET,
      redirect_uris: names.map((name) => `${origin}/oidc/${name}/callback`),
      post_logout_redirect_uris: [`${origin}/app`],
      // who logs out here is out there
      backchannel_logout_uri: `${origin}/oidc/main/backchannel_logout`,
      backchannel_logout_session_required: true,
    },
  ],
  claims: { openid: ['sub'], profile: ['preferred_username', 'roles'], email: ['email'] },
  cookies: { keys: [randomBytes(32).toString('hex')] },
  jwks: { keys: [privateKey.export({ format: 'jwk' })] },
  features: {
    devInteractions: { enabled: false },
    backchannelLogout: { enabled: true },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource(context, form) {
        context.body = html(`<h1>Log out here, too?</h1>${form}
          <button form="op.logoutForm" name="logout" value="yes">Yes, log me out</button>`)
      },
    },
  },
  // by itself oidc-provider sends nothing to this machine, where the gateway is
  fetch: (url, { dispatcher: _strict, ...request }) => fetch(url, request),
  interactions: { url: (_context, { uid }) => `/login/${uid}` },
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({ sub: id, preferred_username: id, roles: ['staff'] }),
  }),
  // nobody is asked whether the page may know the name
  async loadExistingGrant({ oidc }) {
    const { accountId } = oidc.session
    const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId })
    grant.addOIDCScope(oidc.params.scope)
    await grant.save()
    return grant
  },
})

const respond = provider.callback()

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', issuer)
  const isLogin = pathname.startsWith('/login/')
  if (isLogin && request.method === 'POST') {
    const form = new URLSearchParams(await text(request))
    const accountId = form.get('name') ?? ''
    const result = form.has('cancel') ? { error: 'access_denied' } : { login: { accountId } }
    await provider.interactionFinished(request, response, result)
  } else if (isLogin || pathname === '/page') {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(isLogin ? loginPage : page)
  } else await respond(request, response)
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.writeHead(400).end('no login is under way here'))
})

const { hostname, port } = new URL(issuer)
server.listen(Number(port), hostname, () => process.stdout.write(`provider  ${issuer}\n`))
