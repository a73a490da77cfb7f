/** Writes why requests failed: one line for each answer of 500 or above, each refused login, and each expression that a request made fail. */
import type { Clock } from '#component/clock.ts'
import type { FailureReport } from '#component/gateway/failure-report.ts'
import { LogThrottle } from '#component/limits/log-throttle.ts'
import type { Log } from '#component/log.ts'
import type { LoginCounts } from '#component/login-counts.ts'
import { LoginLog, networkThrottle } from '#component/login-refusal.ts'
import { networkOf } from '#component/syntax/ip-address.ts'
import type { RequestTrace } from '#component/telemetry/telemetry.ts'
import type { HttpExchange } from '#http/read-request.ts'

/** A request that has been answered, or has lost its client. */
export interface FailedRequest {
  /** Absent for a WebSocket. */
  readonly id?: string
  readonly method: string
  readonly route: string
  readonly status: number
  readonly peername: string
  /** IP address of the client. */
  readonly client: string
  readonly failure: FailureReport | undefined
  readonly trace?: RequestTrace | undefined
}

/** A request whose failure is to be told; its name for peers is made here only. */
export const failedOf = (
  { id, method, route, peername, client, failure, trace }: HttpExchange,
  status: number,
): FailedRequest => ({ id, method, route, status, peername, client, failure, trace })

/** A failure of a route would fill the log: ten lines a second of one method, route and error; the others are counted. */
const linesOfCause = { lines: 10, intervalMs: 1_000, senders: 1_000 }

/** Its 503 is an ordinary answer, which each probe of a balancer gets while the node starts and stops. */
const readiness = '/ready'

/** Whether the request is to blame: everybody can cause such a line at no cost. */
const isOfClient = ({ status, failure }: FailedRequest): boolean =>
  status >= 400 && status < 500 && failure?.err === undefined

/** The lines of one listener. */
export class FailureLog {
  readonly #log: Log
  readonly #ofNetwork: LogThrottle
  readonly #ofCause: LogThrottle
  readonly #logins: LoginLog

  /** @param logins counts refused logins; absent: nothing does */
  constructor(clock: Pick<Clock, 'now' | 'after'>, log: Log, logins?: Pick<LoginCounts, 'add'>) {
    this.#log = log
    this.#ofNetwork = networkThrottle(clock, log)
    this.#logins = new LoginLog(log, this.#ofNetwork, logins)
    this.#ofCause = new LogThrottle(clock, {
      ...linesOfCause,
      onLeftOut: (cause, lines) => log.error({ cause, lines }, 'lines left out'),
    })
  }

  /** Whether a line that a client can cause at no cost is to be written; it counts as written. */
  admits(address: string): boolean {
    return this.#ofNetwork.admits(networkOf(address))
  }

  /** Writes the line of a request that has failed: its status is 500 or above, or it has a failure. */
  tell(request: FailedRequest): void {
    const { id, method, route, status, peername: peer, client, failure, trace } = request
    if (route === readiness) return
    const { login, hasLostCallee, ...more } = failure ?? {}
    const line = {
      request_id: id,
      ...(trace && { trace_id: trace.context.traceId }),
      ...{ method, route, status, ...more },
    }
    if (login !== undefined) this.#logins.refused(login, client, { ...line, peer })
    else if (hasLostCallee) {
      if (this.#ofCause.admits(`${method} ${route} ${failure?.error}`))
        this.#log.warn(line, 'the callee left during the call')
    } else if (isOfClient(request)) {
      if (this.admits(client)) this.#log.info(line, 'a request failed')
    } else if (this.#ofCause.admits(`${method} ${route} ${failure?.error ?? status}`)) {
      const isBug = failure?.err !== undefined
      this.#log.error(
        line,
        isBug ? 'a request failed because of a bug in the gateway' : 'a request failed',
      )
    }
  }
}
