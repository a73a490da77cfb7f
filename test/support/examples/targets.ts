/** What becomes of each ASCII character in a request target: the gateway is asked for it, once by an operation that answers itself, once through a forward. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'

/** An upstream that answers with its request target, and the document that leads there. */
interface TargetsUpstream {
  readonly document: object
  close(): void
}

/** Starts the upstream. `/seen/:x` tells what expressions read, `/sent/[...]` what the upstream gets. */
async function startTargetsUpstream(): Promise<TargetsUpstream> {
  const upstream = createServer(({ url }, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(url))
  })
  upstream.listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  const { port } = upstream.address() as AddressInfo
  const seen = {
    target: '{{request.path}}?{{request.query_string}}',
    x: '{{request.bindings.x}}',
    q: '{{request.query_params |> get(q, none)}}',
  }
  const document = {
    id: 'com.example.targets',
    host: '_',
    realm_uri: 'com.example.realm',
    versions: {
      '1': {
        base_path: '/',
        paths: {
          '/seen/:x': { get: { action: { type: 'static', body: seen }, response: {} } },
          '/sent/[...]': {
            get: { action: { type: 'forward', host: `127.0.0.1:${port}` }, response: {} },
          },
        },
      },
    },
  }
  return { document, close: () => upstream.close() }
}

/** The characters of ASCII. */
export const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))

/** How a character is named in the title of a test. */
export const nameOf = (character: string): string =>
  character > ' ' && character < '\x7f'
    ? character
    : `0x${character.charCodeAt(0).toString(16).padStart(2, '0')}`

/** The characters that a path or a query has as they are (RFC 3986 §3.3, §3.4), and escapes. */
export const ofTarget = /^[\w.~!$&'()*+,;=:@/?%-]*$/

/** Starts a gateway with that document for the suite that this is called in. */
export function targetsGateway(): () => TestGateway {
  let gateway: TestGateway
  let close: () => void
  before(async () => {
    const upstream = await startTargetsUpstream()
    close = upstream.close
    gateway = await startGateway({}, { isEmbedded: true })
    await gateway.mustLoad(upstream.document)
  })
  after(async () => {
    await gateway?.stop()
    close?.()
  })
  return () => gateway
}
