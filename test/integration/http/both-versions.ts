/** The same requests over HTTP/1.1 and HTTP/2, by TLS of one gateway, and a document that serves them. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { type ClientHttp2Session, connect } from 'node:http2'
import { Agent, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeCertificate } from '#test/support/certificate.ts'
import { startGateway } from '#test/support/gateway.ts'

const realm = 'com.example.test'
const plain = { on_result: {}, on_error: {} }
const bound = { on_result: { body: '{{action.result.body}}' }, on_error: {} }
const fixed = (body: unknown) => ({ action: { type: 'static', body }, response: bound })

/** What is asked, and what both versions answer. */
export interface Row {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Buffer
  readonly status: number
}

const json = { 'content-type': 'application/json' }

/** Of a kind each. */
export const rows: Readonly<Record<string, Row>> = {
  'a GET': { path: '/v1/fixed', status: 200 },
  'a HEAD': { method: 'HEAD', path: '/v1/fixed', status: 200 },
  'a HEAD of a stream': { method: 'HEAD', path: '/v1/upstream/chunks', status: 200 },
  'OPTIONS of all': { method: 'OPTIONS', path: '*', status: 404 },
  'a preflight of CORS': {
    method: 'OPTIONS',
    path: '/v1/fixed',
    headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' },
    status: 204,
  },
  'no route': { path: '/v1/none', status: 404 },
  'another method': { method: 'DELETE', path: '/v1/fixed', status: 405 },
  'a method that nobody serves': { method: 'PROPFIND', path: '/v1/fixed', status: 405 },
  'a query': { path: '/v1/query?a=1&b=%C3%A4', status: 200 },
  'an escaped slash': { path: '/v1/a%2Fb', status: 400 },
  'a bad escape': { path: '/v1/%zz', status: 400 },
  'a HEAD of an escaped slash': { method: 'HEAD', path: '/v1/a%2Fb', status: 400 },
  'a HEAD of a bad escape': { method: 'HEAD', path: '/v1/%zz', status: 400 },
  'a body of JSON': {
    ...{ method: 'POST', path: '/v1/echo', headers: json },
    body: '{"a":[1,2,{"b":"ä"}]}',
    status: 200,
  },
  'a body that is no JSON': {
    ...{ method: 'POST', path: '/v1/echo', headers: json, body: '{"a":' },
    status: 400,
  },
  'a body of another type': {
    ...{ method: 'POST', path: '/v1/echo', headers: { 'content-type': 'image/png' }, body: 'x' },
    status: 415,
  },
  'no body': { method: 'POST', path: '/v1/echo', headers: json, status: 200 },
  'an empty body': {
    ...{ method: 'POST', path: '/v1/echo', headers: { ...json, 'content-length': '0' } },
    status: 200,
  },
  'a body that is too large': {
    ...{ method: 'POST', path: '/v1/small', headers: json, body: JSON.stringify('x'.repeat(2000)) },
    status: 413,
  },
  'a large body that nobody reads': {
    ...{ method: 'POST', path: '/v1/fixed', headers: json, body: JSON.stringify('x'.repeat(500)) },
    status: 405,
  },
  'a coding that nobody knows': {
    method: 'POST',
    path: '/v1/echo',
    headers: { ...json, 'content-encoding': 'exotic' },
    body: '{}',
    status: 415,
  },
  'a large content': { path: '/v1/large', status: 200 },
  'a part of a content': {
    path: '/v1/large',
    headers: { range: 'bytes=5-9', accept: 'application/json' },
    status: 206,
  },
  'a part beyond a content': {
    path: '/v1/large',
    headers: { range: 'bytes=900000000-' },
    status: 416,
  },
  'a content beyond latin1': { path: '/v1/wide', status: 200 },
  'a 204': { path: '/v1/upstream/204', status: 204 },
  'a 304': { path: '/v1/etag', headers: { 'if-none-match': '*' }, status: 304 },
  'fields of a connection in an answer': { path: '/v1/upstream/fields', status: 200 },
  'two cookies that are set': { path: '/v1/upstream/cookies', status: 200 },
  'a content of unknown length': { path: '/v1/upstream/chunks', status: 200 },
  'a content of 1 MB': { path: '/v1/upstream/1000000', status: 200 },
  'a body passed on': {
    ...{ method: 'POST', path: '/v1/upstream/echo', headers: { 'content-type': 'text/plain' } },
    body: Buffer.alloc(300_000, 'ab'),
    status: 200,
  },
  'a cookie': { path: '/v1/header/cookie', headers: { cookie: 'a=1; b=2' }, status: 200 },
  'a field twice': { path: '/v1/header/x-a', headers: { 'x-a': ['1', '2'] }, status: 200 },
  'a single field twice': {
    path: '/v1/header/x-a',
    headers: { origin: ['https://a.example', 'https://b.example'] },
    status: 400,
  },
  'fields without a prototype': {
    ...{ path: '/v1/header/constructor', headers: { constructor: 'x', tostring: 'y' } },
    status: 200,
  },
  '101 fields': {
    path: '/v1/fixed',
    headers: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`x-${at}`, 'a'])),
    status: 431,
  },
  'a language': { path: '/v1/fixed', headers: { 'accept-language': 'de, en;q=0.5' }, status: 200 },
  'a type that is not provided': {
    path: '/v1/fixed',
    headers: { accept: 'image/png' },
    status: 406,
  },
  MessagePack: { path: '/v1/fixed', headers: { accept: 'application/msgpack' }, status: 200 },
  'an expectation that nobody meets': {
    ...{ method: 'POST', path: '/v1/echo', headers: { ...json, expect: '200-ok' }, body: '{}' },
    status: 417,
  },
  'an expectation of 100': {
    ...{ method: 'POST', path: '/v1/echo', headers: { ...json, expect: '100-continue' } },
    ...{ body: '{"a":1}', status: 200 },
  },
  'a login that is missing': { path: '/v1/closed', status: 401 },
  'a login that is wrong': {
    path: '/v1/closed',
    headers: { authorization: 'Bearer none' },
    status: 401,
  },
  'an upstream that breaks off': { path: '/v1/upstream/broken', status: 0 },
  'an upstream that is not there': { path: '/v1/gone', status: 504 },
  'a path of WebSockets': { path: '/v1/socket', status: 200 },
  'the management of a shared listener': { path: '/api_specs', status: 200 },
  'another method of management': { method: 'DELETE', path: '/api_specs', status: 405 },
  'an unknown procedure of management': { path: '/services/none', status: 404 },
  'the description': { path: '/v1/openapi.json', status: 200 },
}

/** What both must have alike. */
interface Told {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** Fields that differ from request to request, or belong to the connection. */
const own = new Set([
  ...['connection', 'date', 'keep-alive', 'transfer-encoding', 'upgrade', 'x-request-id'],
])

const fieldsOf = (headers: IncomingHttpHeaders | object) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !own.has(name) && !name.startsWith(':')),
  )

function overHttp1(port: number, { method = 'GET', path, headers = {}, body }: Row): Promise<Told> {
  return new Promise((resolve) => {
    const broken = { status: 0, headers: {}, body: '' }
    const sent = request(
      {
        ...{ host: '127.0.0.1', port, method, path, agent: new Agent({ maxSockets: 1 }) },
        ...{ servername: 'localhost', rejectUnauthorized: false },
        headers: {
          host: `localhost:${port}`,
          ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
          ...(headers as Record<string, string>),
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', () => resolve(broken))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: fieldsOf(response.headers),
            body: Buffer.concat(chunks).toString('latin1'),
          }),
        )
      },
    )
    sent.on('error', () => resolve(broken))
    if (headers.expect === '100-continue') sent.on('continue', () => sent.end(body))
    else sent.end(body)
  })
}

function overHttp2(
  session: ClientHttp2Session,
  authority: string,
  { method = 'GET', path, headers = {}, body }: Row,
): Promise<Told> {
  return new Promise((resolve) => {
    const stream = session.request(
      {
        ...{ ':method': method, ':path': path, ':authority': authority },
        ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
        ...(headers as Record<string, string>),
      },
      { endStream: body === undefined },
    )
    let head: IncomingHttpHeaders & { readonly ':status'?: number | undefined } = {}
    const chunks: Buffer[] = []
    stream.on('response', (fields) => {
      head = fields
    })
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('error', () => undefined)
    stream.on('close', () =>
      resolve(
        stream.rstCode === 0
          ? {
              status: head[':status'] ?? 0,
              headers: fieldsOf(head),
              body: Buffer.concat(chunks).toString('latin1'),
            }
          : { status: 0, headers: {}, body: '' },
      ),
    )
    if (headers.expect === '100-continue') stream.on('continue', () => stream.end(body))
    else if (body !== undefined) stream.end(body)
  })
}

const upstream = createServer((asked, response) => {
  const name = asked.url?.slice(1) ?? ''
  if (name === 'echo') {
    asked.pipe(response)
    return
  }
  // a response before the end of a request is a race
  asked.resume().once('end', () => respond(name, response))
})

function respond(name: string, response: ServerResponse): void {
  if (name === '204') response.writeHead(204).end()
  else if (name === 'fields') {
    response.writeHead(200, { connection: 'close, x-own', 'x-own': 'a', 'keep-alive': 'timeout=1' })
    response.end('ok')
  } else if (name === 'cookies') {
    response.writeHead(200, { 'set-cookie': ['a=1', 'b=2'] }).end('ok')
  } else if (name === 'chunks') {
    response.write('one,')
    setImmediate(() => response.end('two'))
  } else if (name === 'broken') {
    response.writeHead(200, { 'content-length': '100000' })
    response.write('some', () => response.destroy())
  } else response.end(Buffer.alloc(Number(name) || 0, 'x'))
}

/** A gateway with the document. */
export interface Both {
  overHttp1(row: Row): Promise<Told>
  overHttp2(row: Row): Promise<Told>
  stop(): Promise<void>
}

/** Starts it. @param settings options by dotted key */
export async function openBoth(settings: Readonly<Record<string, string>> = {}): Promise<Both> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-http2-'))
  const { cert, key } = writeCertificate(folder)
  upstream.listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  const gateway = await startGateway({
    ...settings,
    'gateway.tls.cert': cert,
    'gateway.tls.key': key,
    'admin.share_gateway_listener': 'true',
    'admin.listen': '127.0.0.1:0',
  })
  const port = Number(new URL(gateway.url).port)
  const forward = (path: string) => ({
    action: { type: 'forward', host: origin, path },
    response: plain,
  })
  await gateway.mustLoad({
    ...{ id: 'com.example.both', host: '_', realm_uri: realm },
    versions: {
      '1': {
        base_path: '/v1',
        openapi: { path: '/openapi' },
        paths: {
          '/fixed': {
            provides: ['application/json', 'application/msgpack'],
            languages: ['en', 'de'],
            get: fixed({ ok: true }),
          },
          '/large': { ranges: true, get: fixed({ text: 'x'.repeat(400_000) }) },
          '/wide': { get: fixed({ text: 'äß€'.repeat(20_000) }) },
          '/etag': { etag: true, get: fixed({ ok: true }) },
          '/query': { get: fixed('{{request.query_params}}') },
          '/echo': { accepts: ['application/json'], post: fixed({ body: '{{request.body}}' }) },
          '/small': { body_max_bytes: 1000, post: fixed({ body: '{{request.body}}' }) },
          ...Object.fromEntries(
            ['cookie', 'x-a', 'constructor'].map((name) => [
              `/header/${name}`,
              { get: fixed({ value: `{{request.headers.${name} |> default(none)}}` }) },
            ]),
          ),
          '/closed': { security: { type: 'basic' }, get: fixed('open') },
          '/upstream/:name': {
            get: forward('/{{request.bindings.name}}'),
            post: forward('/{{request.bindings.name}}'),
          },
          '/gone': {
            get: { action: { type: 'forward', host: 'http://127.0.0.1:1' }, response: plain },
          },
          '/socket': {
            get: {
              action: { type: 'forward', host: origin, path: '/ws', websocket: true },
              response: plain,
            },
          },
        },
      },
    },
  })
  const session = connect(`https://127.0.0.1:${port}`, {
    servername: 'localhost',
    rejectUnauthorized: false,
  })
  await once(session, 'connect')
  return {
    overHttp1: (row) => overHttp1(port, row),
    overHttp2: (row) => overHttp2(session, `localhost:${port}`, row),
    async stop() {
      session.destroy()
      await gateway.stop()
      upstream.close()
      rmSync(folder, { recursive: true })
    },
  }
}
