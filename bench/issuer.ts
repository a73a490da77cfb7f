/** An issuer of access tokens in this process: it serves its key, and signs one token. */
import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** One that listens. */
export interface Issuer {
  readonly url: string
  /** A token of an hour for the audience `bench`. */
  readonly token: string
  close(): void
}

/** Begins to serve the key. */
export async function openIssuer(): Promise<Issuer> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'bench', alg: 'ES256', use: 'sig' }]
  const server = createServer((_request, response) => {
    response.end(JSON.stringify({ keys }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const iat = Math.floor(Date.now() / 1000)
  const signed = [
    encode({ alg: 'ES256', typ: 'at+jwt', kid: 'bench' }),
    encode({
      ...{ iss: url, aud: 'bench', sub: 'user-of-the-bench', iat, exp: iat + 3600 },
      ...{ client_id: 'bench', scope: 'about:read staff', jti: 'one' },
    }),
  ].join('.')
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
  const signature = sign('sha256', Buffer.from(signed), key).toString('base64url')
  return { url, token: `${signed}.${signature}`, close: () => void server.close() }
}
