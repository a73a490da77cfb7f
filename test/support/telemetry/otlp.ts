/** Spans as a collector reads them from a request of OTLP over HTTP (opentelemetry-proto: trace.proto). */
import { fieldsOf, type WireValue } from './protobuf.ts'

/** The value of an attribute. */
type Value = string | number | boolean | readonly Value[]

/** Attributes by name. */
type Attributes = Readonly<Record<string, Value>>

/** A span, with the attributes of the process that sent it. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly tracestate: string
  /** `''`: none. */
  readonly parentSpanId: string
  readonly name: string
  readonly kind: string
  /** Nanoseconds since the epoch. */
  readonly start: bigint
  readonly end: bigint
  readonly attributes: Attributes
  readonly events: readonly { readonly name: string; readonly at: bigint }[]
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly isError: boolean
  readonly flags: number
  readonly resource: Attributes
  readonly scope: string
}

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer']

/** The spans of an ExportTraceServiceRequest. */
export const readSpans = (body: Buffer): ReceivedSpan[] =>
  messages(body, 1).flatMap((resourceSpans) => {
    const resource = attributesOf(message(resourceSpans, 1), 1)
    return messages(resourceSpans, 2).flatMap((scopeSpans) => {
      const scope = text(message(scopeSpans, 1), 1)
      return messages(scopeSpans, 2).map((span) => ({ ...readSpan(span), resource, scope }))
    })
  })

const readSpan = (span: Buffer) => ({
  traceId: message(span, 1).toString('hex'),
  spanId: message(span, 2).toString('hex'),
  tracestate: text(span, 3),
  parentSpanId: message(span, 4).toString('hex'),
  name: text(span, 5),
  kind: kinds[Number(number(span, 6))] ?? 'unknown',
  start: number(span, 7),
  end: number(span, 8),
  attributes: attributesOf(span, 9),
  events: messages(span, 11).map((event) => ({ at: number(event, 1), name: text(event, 2) })),
  links: messages(span, 13).map((link) => ({
    traceId: message(link, 1).toString('hex'),
    spanId: message(link, 2).toString('hex'),
  })),
  isError: number(message(span, 15), 3) === 2n,
  flags: Number(number(span, 16)),
})

const values = (bytes: Buffer, field: number): WireValue[] =>
  fieldsOf(bytes).flatMap(([found, value]) => (found === field ? [value] : []))

const messages = (bytes: Buffer, field: number): Buffer[] =>
  values(bytes, field).filter((value) => typeof value !== 'bigint')

const message = (bytes: Buffer, field: number): Buffer =>
  messages(bytes, field)[0] ?? Buffer.alloc(0)

const text = (bytes: Buffer, field: number): string => message(bytes, field).toString()

const number = (bytes: Buffer, field: number): bigint =>
  values(bytes, field).find((value) => typeof value === 'bigint') ?? 0n

const attributesOf = (bytes: Buffer, field: number): Attributes =>
  Object.fromEntries(
    messages(bytes, field).map((pair) => [text(pair, 1), readValue(message(pair, 2))]),
  )

function readValue(any: Buffer): Value {
  const [field = 0, value = 0n] = fieldsOf(any)[0] ?? []
  if (field === 1) return value.toString()
  if (field === 2) return value === 1n
  if (field === 3) return Number(BigInt.asIntN(64, value as bigint))
  if (field === 4) return new Float64Array(BigUint64Array.of(value as bigint).buffer)[0] ?? 0
  if (field === 5) return messages(value as Buffer, 1).map(readValue)
  throw new Error(`an attribute has a value of type ${field}`)
}
