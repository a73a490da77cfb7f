/** The quotas of this process: their use is in the store, which all processes share. */

import type { Clock } from '#component/clock.ts'
import type { Log } from '#component/log.ts'
import type { SecretBox } from '#component/secret-box.ts'
import type { QuotaStore } from '#component/store/quota-store.ts'
import type { QuotaRow } from './quota-use.ts'
import { type QuotaLedger, Quotas } from './quotas.ts'

/** Characters of a digest in base64url: 132 bits. */
const digestLength = 22

/** Names the sharers that are sealed. */
export const sharerPurpose = 'sharer of a quota'

/** What quotas need of the process. */
export interface QuotaWorld {
  readonly clock: Clock
  readonly box: SecretBox
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly node: string
  readonly store: { readonly quotas: QuotaStore }
  /** The users of realms, with their roles. */
  readonly users: {
    readonly logins: {
      user(realm_uri: string, authid: string): { readonly roles: readonly string[] } | undefined
    }
  }
  readonly config: { readonly limits: { readonly rate_limit_keys: number } }
}

/** Begins to exchange what is used with the store. */
export function openQuotas(context: Omit<QuotaWorld, 'users'>): Quotas {
  const { box, clock, config, log } = context
  const quotas = new Quotas({
    clock,
    ledger: ledgerOf(context),
    digest: (...texts) =>
      box
        .derive('quota', ...texts)
        .toString('base64url')
        .slice(0, digestLength),
    maxKeys: config.limits.rate_limit_keys,
    onAway: (err) =>
      err === undefined
        ? log.info('the use of quotas is written to the store again')
        : log.warn(
            { err },
            'the use of quotas cannot be written to the store: until it can, this process counts for itself',
          ),
  })
  quotas.start()
  return quotas
}

/** The ledger in the store; sharers are sealed, so that a copy of the store tells no names. */
function ledgerOf({ store, box, node }: Pick<QuotaWorld, 'store' | 'box' | 'node'>): QuotaLedger {
  const sealed = new WeakMap<QuotaRow, string>()
  const sealedOf = (row: QuotaRow): string => {
    const known = sealed.get(row) ?? box.seal(row.sharer, sharerPurpose)
    sealed.set(row, known)
    return known
  }
  return {
    sums: (rows) =>
      store.quotas.sums(
        rows.map(({ rule, key, startMs }) => ({ rule, key, window_start: startMs })),
      ),
    add: (rows) =>
      store.quotas.add(
        rows.map(([row, used]) => ({
          ...{ rule: row.rule, window_start: row.startMs, key: row.key, node },
          ...{ window_end: row.endMs, sharer: sealedOf(row), used },
        })),
      ),
  }
}
