/** What serves `idempotency`: its stages, and what keeps the answers of a process. */
import type { Clock } from '#component/clock.ts'
import { KeyShares } from '#component/limits/key-shares.ts'
import type { Log } from '#component/log.ts'
import type { Encode } from '#component/policies/etag/conditions.ts'
import { servedPolicy } from '#component/policies/serve.ts'
import type { SecretBox } from '#component/secret-box.ts'
import type { AnswerStore } from '#component/store/answer-store.ts'
import { type IdempotencyPorts, idempotencyKey, takeKey } from './idempotent-request.ts'
import { keyedDigest } from './keyed-digest.ts'
import { idempotency as kind } from './kind.ts'
import { keyMethods } from './plan.ts'

export interface World {
  readonly clock: Clock
  readonly box: SecretBox
  readonly encode: Encode
  readonly log: Pick<Log, 'warn'>
  readonly store: { readonly answers: AnswerStore }
  readonly config: {
    readonly idempotency: {
      readonly max_rows: number
      readonly max_bytes: number
      readonly max_rows_per_user: number
    }
  }
}

const isNeeded = (plans: Parameters<typeof kind.planOf>[0], { method }: { method: string }) =>
  keyMethods.has(method) && kind.planOf(plans) !== undefined

/** The other half of the row in `kind.ts`. */
export const idempotency = servedPolicy('idempotency', {
  stages: [
    { stage: idempotencyKey, place: 'before body', isNeeded },
    { stage: takeKey, place: 'before action', isNeeded },
  ],
  open({ clock, box, encode, log, store, config }: World) {
    const { max_rows: rows, max_bytes: bytes, max_rows_per_user } = config.idempotency
    const most = { rows, bytes, rowsOfUser: Math.min(max_rows_per_user, rows) }
    const port: IdempotencyPorts = {
      shares: new KeyShares(most, clock, store.answers.held),
      ...{ clock, box, digest: keyedDigest(box), answers: store.answers, encode },
      onUnkept: (err: unknown) =>
        log.warn({ err }, 'a response could not be stored under its Idempotency-Key'),
    }
    return { port }
  },
})
