/** A token that upstreams are sent: how long it is sent, and when the next one is fetched. */
import { ServiceError } from '#component/errors.ts'

/** A token as an authorization server has given it. */
export interface SentToken {
  readonly text: string
  /** When it was fetched; milliseconds since the epoch. */
  readonly from: number
  /** When it ends; milliseconds since the epoch. */
  readonly until: number
}

const minuteMs = 60_000

/** It is sent until so long before its end: a request takes its time. Milliseconds. */
const marginMs = 10_000

/** When the next one is fetched: at 4/5 of its life, and at least a minute before its end; at half of a life of less than two minutes. */
export function renewedAt({ from, until }: SentToken): number {
  const life = until - from
  return life < 2 * minuteMs ? from + life / 2 : Math.min(from + life * 0.8, until - minuteMs)
}

/** Until when it is sent; of a short life three quarters. */
export const sentUntil = ({ from, until }: SentToken): number =>
  until - Math.min(marginMs, Math.max(until - from, 0) / 4)

/** There is none that holds. @param retryMs until the next one is tried */
export const noToken = (retryMs: number, cause?: unknown): ServiceError =>
  new ServiceError(
    'service.error.no_upstream_token',
    'the upstream needs a token, or a secret, that the gateway has not now',
    {
      ...(cause !== undefined && { cause }),
      headers: { 'Retry-After': String(Math.max(Math.ceil(retryMs / 1000), 1)) },
    },
  )
