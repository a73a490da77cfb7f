/** A gateway of 2 workers with streams in both of them; each test has its own, because tests stop it, kill workers and change its realm. */
import { expect } from 'chai'
import type { EventStream } from '#test/support/event-stream.ts'
import {
  endOf,
  expectAlive,
  liveDocument,
  liveRealm,
  type Way,
  watch,
  within,
} from '#test/support/examples/live-api.ts'
import { type GatewayProcess, startGatewayProcess } from '#test/support/gateway-process.ts'
import { allAnswer } from '#test/support/worker-gateway.ts'

const workers = 2
/** Connections are given to the workers in turn: so many reach each of them, whoever else connects meanwhile. */
const many = Array.from({ length: workers * 3 }, (_, index) => index)

/** The gateway of one test, and its streams. */
export class StreamsFixture {
  readonly gateway: GatewayProcess
  readonly #open: EventStream[] = []

  private constructor(gateway: GatewayProcess) {
    this.gateway = gateway
  }

  static async start(): Promise<StreamsFixture> {
    const gateway = await startGatewayProcess({ workers: String(workers) })
    const fixture = new StreamsFixture(gateway)
    await allAnswer(gateway, workers)
    await gateway.post('/realms', liveRealm())
    await gateway.post('/api_specs', liveDocument())
    return fixture
  }

  async watch(way: Way, headers: Readonly<Record<string, string>> = {}): Promise<EventStream> {
    const stream = await watch(this.gateway.url, way, headers)
    this.#open.push(stream)
    return stream
  }

  /** Opens streams in all workers. */
  async everywhere(way: Way, headers: Readonly<Record<string, string>> = {}) {
    const streams = await Promise.all(many.map(() => this.watch(way, headers)))
    for (const stream of streams) await expectAlive(this.gateway.url, stream)
    return streams
  }

  async stop(): Promise<void> {
    for (const stream of this.#open) stream.close()
    await this.gateway.kill()
  }
}

/** Waits until all streams are ended with this code. */
export async function expectEnds(streams: readonly EventStream[], code: string): Promise<void> {
  const codes = await within('the ends', Promise.all(streams.map(endOf)))
  expect(codes).to.deep.equal(streams.map(() => code))
}
