/** Gateways of 2 workers that are told to stop, and a call that is in flight meanwhile. */
import { RouterPeer } from '#test/contract/router/peer.ts'
import type { GatewayProcess } from '#test/support/gateway-process.ts'
import { type HttpAnswer, send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'
import { procedure, realm, startWorkers } from '#test/support/worker-gateway.ts'

/** How a gateway ends in order. */
export const inOrder = { code: 0, signal: null }

/** A delay that no test waits for; milliseconds. What ends sooner does not wait for it. */
export const never = '3600000'

/** Whether an answer says that the client is to open another connection. */
export const closes = ({ headers }: HttpAnswer): boolean => headers.connection === 'close'

/** The gateways of a suite; those of a test go after it. */
export class StopFixture {
  readonly #running: GatewayProcess[] = []

  /** Registers the hook of the suite that it is called in. */
  constructor() {
    afterEach(() => this.#remove())
  }

  async start(settings: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> {
    return this.add(await startWorkers(2, settings))
  }

  add(gateway: GatewayProcess): GatewayProcess {
    this.#running.push(gateway)
    return gateway
  }

  async #remove(): Promise<void> {
    await Promise.all(this.#running.splice(0).map((gateway) => gateway.kill('SIGKILL')))
  }
}

/** A request to `/workers/called` whose callee has not answered yet. */
export interface CallInFlight {
  readonly callee: RouterPeer
  readonly answer: Promise<HttpAnswer>
  /** The callee yields. */
  finish(): void
}

/** Makes one through a gateway, on its router. */
export async function callInFlight(gateway: GatewayProcess): Promise<CallInFlight> {
  const callee = await RouterPeer.join({ url: gateway.routerUrl, realm })
  await callee.register(procedure)
  const answer = send(gateway.url, '/workers/called')
  const [, request] = await callee.next()
  return { callee, answer, finish: () => callee.send(70, request, {}, ['done']) }
}

/** Waits until a gateway accepts no connection. */
export const untilClosed = (gateway: GatewayProcess): Promise<void> =>
  until('no connection is accepted', () =>
    send(gateway.url, '/workers/static').then(
      () => false,
      () => true,
    ),
  )

/** Waits until no worker is ready; connections are given to them in turn. */
export const untilNotReady = (gateway: GatewayProcess): Promise<void> => {
  const isReady = () =>
    send(gateway.adminUrl, '/ready').then(
      ({ status }) => status === 200,
      () => false, // the listener is closed already
    )
  return until('neither worker is ready', async () => {
    const both = await Promise.all([isReady(), isReady()])
    return both.every((ready) => !ready)
  })
}
