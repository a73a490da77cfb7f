/** Spans as one request of OTLP (opentelemetry-proto: trace.proto). They are encoded as they come: bytes cost the garbage collector nothing while they wait. */
import { Buffer } from 'node:buffer'
import type { TraceContext } from '#component/telemetry/trace-context.ts'
import { ProtobufWriter } from './protobuf-writer.ts'
import type { RecordedSpan, SpanAttributes, SpanOrigin } from './recorded-span.ts'

/** Bits of the flags beside those of the trace context. */
const hasIsRemote = 0x100
const isRemote = 0x200

/** Status.code */
const failed = 2

/** Spans that are sent together. */
export class SpanBatch {
  /** How many there are. */
  count = 0
  readonly #spans = new ProtobufWriter()

  add(span: RecordedSpan): void {
    this.count += 1
    const start = this.#spans.begin(2)
    writeSpan(this.#spans, span)
    this.#spans.end(start)
  }

  /** An ExportTraceServiceRequest. */
  requestOf({ resource, instrumentationScope: scope }: SpanOrigin): Uint8Array {
    const spans = this.#spans.written
    const ofScope = messageOf(1, (writer) => {
      writer.text(1, scope.name)
      writer.text(2, scope.version)
    })
    const ofResource = messageOf(1, (writer) => writeAttributes(writer, 1, resource.attributes))
    const scopeSpans = headOf(2, ofScope.length + spans.length)
    const length = ofResource.length + scopeSpans.length + ofScope.length + spans.length
    return Buffer.concat([headOf(1, length), ofResource, scopeSpans, ofScope, spans])
  }
}

function messageOf(field: number, write: (writer: ProtobufWriter) => void): Buffer {
  const writer = new ProtobufWriter()
  const start = writer.begin(field)
  write(writer)
  writer.end(start)
  return writer.written
}

function headOf(field: number, length: number): Buffer {
  const writer = new ProtobufWriter()
  writer.head(field, length)
  return writer.written
}

function writeSpan(writer: ProtobufWriter, span: RecordedSpan): void {
  const { context, parent, link, events } = span
  writeIds(writer, context)
  if (parent) writer.digits(4, parent.context.spanId)
  writer.text(5, span.name)
  writer.integer(6, span.kind)
  writer.nanoseconds(7, span.start)
  writer.nanoseconds(8, span.end)
  writeAttributes(writer, 9, span.attributes)
  if (events) {
    for (const { name, at } of events) {
      const start = writer.begin(11)
      writer.nanoseconds(1, at)
      writer.text(2, name)
      writer.end(start)
    }
  }
  if (link) {
    const start = writer.begin(13)
    writeIds(writer, link)
    writer.fixed32(6, flagsOf(link, true))
    writer.end(start)
  }
  if (span.isError) {
    const start = writer.begin(15)
    writer.integer(3, failed)
    writer.end(start)
  }
  writer.fixed32(16, flagsOf(context, parent?.isRemote === true))
}

/** The fields 1 to 3 of a span, and of a link. */
function writeIds(writer: ProtobufWriter, { traceId, spanId, tracestate }: TraceContext): void {
  writer.digits(1, traceId)
  writer.digits(2, spanId)
  if (tracestate !== undefined) writer.text(3, tracestate)
}

const flagsOf = ({ isSampled, isRandom }: TraceContext, isOfRemote: boolean): number =>
  (isSampled ? 1 : 0) | (isRandom ? 2 : 0) | hasIsRemote | (isOfRemote ? isRemote : 0)

function writeAttributes(writer: ProtobufWriter, field: number, attributes: SpanAttributes): void {
  for (const name in attributes) {
    const pair = writer.begin(field)
    writer.text(1, name)
    const value = writer.begin(2)
    writeValue(writer, attributes[name])
    writer.end(value)
    writer.end(pair)
  }
}

/** An AnyValue. */
function writeValue(writer: ProtobufWriter, value: SpanAttributes[string] | undefined): void {
  if (typeof value === 'string') writer.text(1, value)
  else if (typeof value === 'boolean') writer.integer(2, value ? 1 : 0)
  else if (Number.isSafeInteger(value)) writer.integer(3, value ?? 0)
  else if (value !== undefined) writer.double(4, value)
}
