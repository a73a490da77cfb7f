/** What is never compressed, as tables: for what the answer is, and for how it was asked for. */
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import { essenceOf } from '#component/syntax/media-type.ts'
import type { CompressPlan } from './plan.ts'

/** Why an answer leaves as it is. */
export type Why =
  /** Its status says that it has no content, a part of it, or that the client has it. */
  | 'status'
  | 'empty'
  /** It has a content coding. */
  | 'encoded'
  /** It comes as it is made, event by event. */
  | 'stream'
  /** Of a type that is not compressed. */
  | 'type'
  /** `Cache-Control` forbids it. */
  | 'no_transform'
  /** It is short. */
  | 'size'
  /** A field of it is computed from its bytes. */
  | 'digest'
  /** It sets a cookie. */
  | 'cookie'
  /** A part was asked for. */
  | 'range'
  /** The client accepts no coding, or would rather have none. */
  | 'not_accepted'
  /** It may be the answer to a page of another site that guesses a secret (BREACH). */
  | 'credentials'
  /** This process compresses as much as it may. */
  | 'busy'

/** An answer, what it was asked by, and what its type is: `''` for none. */
export interface Answer {
  readonly exchange: Pick<Exchange, 'header' | 'cookies'>
  readonly reply: Reply
  readonly type: string
  readonly plan: Pick<CompressPlan, 'isCompressed'>
}

interface Row {
  readonly why: Why
  forbids(answer: Answer): boolean
}

/** RFC 9110 §15.3.5–7, §15.4.5. */
const statuses: ReadonlySet<number> = new Set([204, 205, 206, 304])

/** Fields that are computed from the bytes of the content: RFC 9530, RFC 3230, RFC 9421, and RFC 1864. */
const digests = [
  ...['content-digest', 'repr-digest', 'digest', 'signature', 'signature-input', 'content-md5'],
]

/** Endless, or read piece by piece: event streams, lines and sequences of JSON, parts, gRPC. */
const pieces =
  /^(?:text\/event-stream|multipart\/.+|application\/(?:(?:x-)?(?:ndjson|jsonl|jsonlines)|(?:geo\+)?json-seq|(?:x-)?stream\+json|x-json-stream|grpc.*))$/

const noTransform = /\bno-transform\b/i

/** The first one that holds forbids. Each of them holds for all clients, so that the answer does not vary. */
const rows: readonly Row[] = [
  { why: 'status', forbids: ({ reply: { status } }) => statuses.has(status) },
  { why: 'empty', forbids: ({ reply: { body } }) => body.kind === 'none' },
  {
    why: 'encoded',
    forbids: ({ reply: { headers } }) => headers['content-encoding'] !== undefined,
  },
  {
    why: 'stream',
    forbids: ({ reply: { body }, type }) => body.kind === 'events' || pieces.test(essenceOf(type)),
  },
  { why: 'type', forbids: ({ type, plan }) => type === '' || !plan.isCompressed(type) },
  {
    why: 'cookie',
    forbids: ({ reply: { headers }, exchange: { cookies } }) =>
      headers['set-cookie'] !== undefined || (cookies !== undefined && cookies.length > 0),
  },
  {
    why: 'no_transform',
    forbids: ({ reply: { headers } }) =>
      headers['cache-control'] !== undefined && noTransform.test(String(headers['cache-control'])),
  },
  {
    why: 'digest',
    forbids: ({ reply: { headers } }) => digests.some((name) => headers[name] !== undefined),
  },
]

/** Why an answer is not compressed, whoever asks; undefined: it may be. */
export const whyNever = (answer: Answer): Why | undefined =>
  rows.find((row) => row.forbids(answer))?.why

/** Schemes whose credentials browsers send by themselves. */
const ambient = /^(?:basic|digest|negotiate|ntlm|kerberos)\b/i

/** Whether a browser has sent credentials by itself, besides a certificate. */
export function hasAmbientCredentials(exchange: Pick<Exchange, 'header'>): boolean {
  if (exchange.header('cookie') !== undefined) return true
  const authorization = exchange.header('authorization')
  return authorization !== undefined && ambient.test(authorization)
}

/** Whether no page of another site has made the request (Fetch Metadata §2.4): such a page cannot say so. */
export function isOfOwnPage(exchange: Pick<Exchange, 'header'>): boolean {
  const site = exchange.header('sec-fetch-site')
  return site === 'same-origin' || site === 'none'
}

/** Whether a request forbids it itself (RFC 9111 §5.2.1.6). */
export function forbidsTransform(exchange: Pick<Exchange, 'header'>): boolean {
  const control = exchange.header('cache-control')
  return control !== undefined && noTransform.test(control)
}
