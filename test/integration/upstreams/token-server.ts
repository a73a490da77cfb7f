/** An authorization server of tests: tokens for the gateway, tokens for those of users, and the keys of the users' tokens. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/** What it was asked for. */
interface AskedToken {
  readonly authorization: string | undefined
  readonly form: Readonly<Record<string, string>>
}

/** One on a port of its own. */
export interface TokenServer {
  readonly url: string
  readonly asked: AskedToken[]
  /** What the next answers are in place of tokens. */
  answer: { readonly status: number; readonly body: unknown } | undefined
  /** Seconds. */
  lifetime: number
  /** A token that the server has signed for a user. */
  tokenOf(sub: string): Promise<string>
  stop(): void
}

/** Tokens have the names `client-1`, `client-2`, … and `ada-3` for the user ada. */
export async function startTokenServer(): Promise<TokenServer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }
  const asked: AskedToken[] = []
  const http = createServer(async (request, response) => {
    const json = (status: number, body: unknown) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(typeof body === 'string' ? body : JSON.stringify(body))
    if (request.url === '/jwks') return json(200, { keys: [jwk] })
    const form = Object.fromEntries(new URLSearchParams((await buffer(request)).toString()))
    asked.push({ authorization: request.headers.authorization, form })
    if (server.answer) return json(server.answer.status, server.answer.body)
    const { subject_token } = form
    const [, payload = ''] = subject_token?.split('.') ?? []
    const sub = subject_token && JSON.parse(Buffer.from(payload, 'base64url').toString()).sub
    const access_token = `${sub ?? 'client'}-token-${asked.length}`
    return json(200, { access_token, token_type: 'Bearer', expires_in: server.lifetime })
  })
  await once(http.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const server: TokenServer = {
    ...{ url, asked, answer: undefined, lifetime: 300 },
    tokenOf: (sub) =>
      new SignJWT({ sub })
        .setProtectedHeader({ alg: 'ES256', kid: 'k1', typ: 'at+jwt' })
        .setIssuer(url)
        .setAudience('gateway')
        .setIssuedAt()
        .setExpirationTime('5 minutes')
        .sign(privateKey),
    stop() {
      http.close()
      http.closeAllConnections()
    },
  }
  return server
}
