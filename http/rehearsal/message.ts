/** A described request as the message that node:http makes of one, on a socket that is none. */
import { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { encodeAs } from '#component/action/forward/body.ts'
import type { DescribedRequest } from '#component/explain/asked.ts'
import { decodeBody, encodeBody } from '#http/codec.ts'

const codec = { encode: encodeBody, decode: decodeBody }

/** The client of requests that name none. */
const nobodyElse = '127.0.0.1'

/** Makes the message; preflight judges whether it is well-formed. */
export function messageOf(described: DescribedRequest): {
  readonly request: IncomingMessage
  readonly response: ServerResponse
} {
  const { method = 'get', path = '/', query_string = '', peer = nobodyElse } = described
  const { headers, body } = fieldsOf(described)
  const request = new IncomingMessage(socketOf(peer))
  request.httpVersion = '1.1'
  request.method = method.toUpperCase()
  const separator = path.includes('?') ? '&' : '?'
  request.url = query_string === '' ? path : `${path}${separator}${query_string}`
  request.rawHeaders = headers.flat()
  if (body !== undefined) request.push(body)
  request.push(null)
  request.complete = true
  return { request, response: new ServerResponse(request) }
}

/** `ip:port`, `[ip]:port`, or an address alone. */
function socketOf(peer: string): Socket {
  const [, bracketed, plain, port] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(peer) ?? []
  const remoteAddress = bracketed ?? plain ?? peer
  return {
    readableHighWaterMark: 65_536,
    ...{ remoteAddress, remotePort: Number(port ?? 0) },
  } as Partial<Socket> as Socket
}

/** The header fields, with Host and those of the body, and the body in bytes. */
function fieldsOf({ host = '_', headers: given = {}, body: value }: DescribedRequest): {
  readonly headers: [name: string, value: string][]
  readonly body: Uint8Array | undefined
} {
  const headers = new Map(
    Object.entries(given).map(([name, field]) => [name.toLowerCase(), String(field)]),
  )
  if (!headers.has('host')) headers.set('host', host === '_' ? 'localhost' : host)
  if (value === undefined) return { headers: [...headers], body: undefined }
  const type = headers.get('content-type')
  if (type === undefined) headers.set('content-type', 'application/json')
  const isAsItIs = value instanceof Uint8Array || (type !== undefined && typeof value === 'string')
  const encoded = isAsItIs ? value : (encodeAs(value, type ?? 'application/json', codec) ?? '')
  const body = Buffer.from(encoded)
  headers.set('content-length', String(body.length))
  headers.delete('transfer-encoding')
  return { headers: [...headers], body }
}
