import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openCollector } from '#component/telemetry/otlp/collector.ts'
import {
  type RecordedSpan,
  recordedSpan,
  spanKind,
} from '#component/telemetry/otlp/recorded-span.ts'
import type { ExportFailure } from '#component/telemetry/otlp/span-queue.ts'
import { writeCertificate } from '#test/support/certificate.ts'
import { freePort } from '#test/support/free-port.ts'
import { type Receiver, startReceiver } from '#test/support/telemetry/receiver.ts'
import { contextOf, spansOf } from './spans.ts'

describe('the way to the collector', () => {
  let receiver: Receiver

  beforeEach(async () => {
    receiver = await startReceiver()
  })

  afterEach(() => receiver.close())

  /** Sends spans, and resolves with why the collector did not take them. */
  async function send(
    spans: readonly RecordedSpan[],
    headers?: Readonly<Record<string, string>>,
    url = `${receiver.url}/v1/traces`,
  ): Promise<ExportFailure | undefined> {
    const exportSpans = await openCollector({ url, headers })
    return await new Promise((resolve) => exportSpans(spans, resolve))
  }

  /** Runs with variables of the environment, which the exporter reads by itself. */
  async function withEnvironment(
    variables: Readonly<Record<string, string>>,
    run: () => Promise<unknown>,
  ): Promise<void> {
    Object.assign(process.env, variables)
    await run().finally(() => {
      for (const name of Object.keys(variables)) delete process.env[name]
    })
  }

  it('sends all that a span has', async () => {
    const context = { ...contextOf(7), tracestate: 'vendor=1' }
    const parent = { context: contextOf(6), isRemote: true }
    const link = { ...contextOf(5), traceId: 'b'.repeat(32) }
    const span = recordedSpan({
      origin: {
        resource: { attributes: { 'service.name': 'orders', 'process.pid': 17 } },
        instrumentationScope: { name: 'wamp-gateway', version: '1.0.0' },
      },
      kind: spanKind.producer,
      name: 'publish com.example.topic',
      ...{ context, parent, link },
      start: 1_700_000_000_000.25,
      end: 1_700_000_000_001.5,
      attributes: { text: 'ü', whole: 201, negative: -1, half: 0.5, isTrue: true },
      events: [{ name: 'session joined', at: 1_700_000_000_001 }],
      isError: true,
    })
    expect(await send([span])).to.equal(undefined)
    const [{ attributes, ...received } = expect.fail('no span')] = receiver.spans
    expect(received).to.deep.equal({
      traceId: 'a'.repeat(32),
      spanId: context.spanId,
      tracestate: 'vendor=1',
      parentSpanId: parent.context.spanId,
      name: 'publish com.example.topic',
      kind: 'producer',
      start: 1_700_000_000_000_250_000n,
      end: 1_700_000_000_001_500_000n,
      events: [{ name: 'session joined', at: 1_700_000_000_001_000_000n }],
      links: [{ traceId: link.traceId, spanId: link.spanId }],
      isError: true,
      // sampled, random, and that the parent is remote
      flags: 0x303,
      resource: { 'service.name': 'orders', 'process.pid': 17 },
      scope: 'wamp-gateway',
    })
    expect(attributes).to.deep.equal({
      ...{ text: 'ü', whole: 201, negative: -1, half: 0.5, isTrue: true },
    })
  })

  it('sends a batch as one request of OTLP protobuf, with the header fields of the configuration', async () => {
    expect(await send(spansOf(512), { 'x-api-key': 'abc' })).to.equal(undefined)
    const [{ path, headers, spans } = expect.fail('no request')] = receiver.requests
    expect([path, spans.length]).to.deep.equal(['/v1/traces', 512])
    expect(headers).to.include({ 'content-type': 'application/x-protobuf', 'x-api-key': 'abc' })
  })

  it('keeps to the OTEL_EXPORTER_OTLP_ variables of headers and compression', async () => {
    const variables = {
      OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=of-environment,x-other=2',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    }
    await withEnvironment(variables, () => send(spansOf(1), { 'x-api-key': 'of-configuration' }))
    const [{ headers } = expect.fail('no request')] = receiver.requests
    expect(headers).to.include({
      'content-encoding': 'gzip',
      'x-api-key': 'of-configuration',
      'x-other': '2',
    })
    expect(receiver.spans).to.have.length(1)
  })

  it('sends over TLS to a collector whose authority OTEL_EXPORTER_OTLP_CERTIFICATE names, and to no other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'collector-'))
    // the file of the certificate has that of its authority, too
    const { cert, key } = writeCertificate(folder)
    const secure = await startReceiver(0, { cert: readFileSync(cert), key: readFileSync(key) })
    const url = `${secure.url}/v1/traces`
    try {
      const { reason, message } = (await send(spansOf(1), undefined, url)) ?? {}
      expect(reason).to.equal('unreachable')
      expect(message).to.match(/certificate/)
      await withEnvironment({ OTEL_EXPORTER_OTLP_CERTIFICATE: cert }, async () =>
        expect(await send(spansOf(1), undefined, url)).to.equal(undefined),
      )
      expect(secure.spans).to.have.length(1)
    } finally {
      await secure.close()
      rmSync(folder, { recursive: true })
    }
  })

  it('tells the status of a collector that refuses the spans, and does not try again', async () => {
    receiver.answer = (response) => response.writeHead(400).end('secret text')
    expect(await send(spansOf(1))).to.deep.equal({
      reason: 'refused',
      message: 'the collector returned 400',
    })
    expect(receiver.requests).to.have.length(1)
  })

  it('tries again when Retry-After says so', async () => {
    receiver.answer = (response) => {
      receiver.answer = (later) => later.writeHead(200).end()
      response.writeHead(503, { 'retry-after': '1' }).end()
    }
    expect(await send(spansOf(1))).to.equal(undefined)
    expect([receiver.requests.length, receiver.spans.length]).to.deep.equal([2, 1])
  })

  it('gives up a collector that asks for a later attempt than the time allows', async () => {
    receiver.answer = (response) => response.writeHead(429, { 'retry-after': '60' }).end()
    expect((await send(spansOf(1)))?.reason).to.equal('unavailable')
    expect(receiver.requests).to.have.length(1)
  })

  it('gives up a collector that is away or does not answer within the timeout', async () => {
    const url = `http://127.0.0.1:${await freePort()}/v1/traces`
    await withEnvironment({ OTEL_EXPORTER_OTLP_TIMEOUT: '300' }, async () => {
      const { reason, message } = (await send(spansOf(1), undefined, url)) ?? {}
      expect(reason).to.equal('unreachable')
      expect(message).to.match(/ECONNREFUSED/)
      receiver.answer = () => undefined
      expect((await send(spansOf(1)))?.reason).to.equal('unreachable')
    })
  })
})
