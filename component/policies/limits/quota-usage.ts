/** Tells operators what has been used of the quotas of a document, in the windows of now. */
import type { DescribedVersion } from '#component/gateway/api.ts'
import { networkOf } from '#component/syntax/ip-address.ts'
import { quota } from './kind.ts'
import { type QuotaWorld, sharerPurpose } from './open-quotas.ts'
import type { QuotaPlan } from './plan.ts'
import { type QuotaWindow, spanAt } from './quota-window.ts'
import type { Quotas } from './quotas.ts'
import { greatestOf, ruleOf } from './sharer.ts'

/** Sharers of one quota that are told, unless one is asked for. */
const mostTold = 100

/** One quota of a document. */
export interface QuotaUsage {
  readonly name: string
  /** JSON Pointer of the rule; of a separate one, that of the operation. */
  readonly path: string
  /** `hour`, `day`, `month`, or seconds. */
  readonly window: Exclude<QuotaWindow, number> | number
  /** Units in a window; roles and users may have others. */
  readonly amount: number
  /** Milliseconds since the epoch. */
  readonly window_start: number
  /** Milliseconds since the epoch: when all units are there again. */
  readonly window_end: number
  /** Who has used most, first. `sharer`: `user <realm> <name>`, `client <id>`, `address <address>`, `role <roles>`, `value <value>`, `all`; `others`: the addresses and values that share one row. `amount`: of users and roles the one that `by` gives them. */
  readonly usage: readonly {
    readonly sharer: string
    readonly used: number
    readonly amount: number
  }[]
}

/** A quota, and what names it among all. */
interface Rule {
  readonly plan: QuotaPlan
  readonly path: string
  readonly name: string
  readonly realm_uri: string
}

/** The quotas of the active versions of a document, each once. */
function rulesOf(versions: readonly DescribedVersion[]): readonly Rule[] {
  const rules = new Map<string, Rule>()
  for (const { routes } of versions.flatMap(({ entries }) => entries)) {
    for (const route of Object.values(routes)) {
      const plans = route.kind === undefined ? quota.planOf(route.inherited.policies) : undefined
      if (plans === undefined || route.kind !== undefined) continue
      for (const plan of plans) {
        const name = ruleOf(plan, route)
        const { realm_uri } = route.path.version
        const path = plan.isSeparate ? route.at : plan.at
        rules.set(`${name}\n${plan.window}`, { plan, path, name, realm_uri })
      }
    }
  }
  return [...rules.values()]
}

/** Who may be meant by a key: a sharer as it is told, or a name alone. */
const sharersOf = (key: string, realm_uri: string): readonly string[] => [
  ...new Set([
    key,
    `user ${realm_uri} ${key}`,
    `client ${key}`,
    `address ${networkOf(key)}`,
    `role ${key}`,
    `value ${key}`,
  ]),
]

/** What the amount of a sharer depends on: the user that it names, or the roles. */
const named = /^(?:user (?<realm>\S+) (?<user>.+)|role (?<roles>.*))$/s

/**
 * The amount that holds for a sharer. A user whom the realm does not have comes by an identity provider: its roles are not known, and its
 * name is; of another sharer users may have different amounts, and the usual one is told.
 */
function amountOf(
  { by, amount }: QuotaPlan,
  sharer: string,
  { logins }: QuotaWorld['users'],
): number {
  const { realm = '', user, roles } = named.exec(sharer)?.groups ?? {}
  const names =
    user === undefined ? roles?.split(' ') : [user, ...(logins.user(realm, user)?.roles ?? [])]
  return greatestOf(by, names ?? [], (other) => other) ?? amount
}

/** @returns reads what is used; ServiceError `service.error.unavailable` where the store is away */
export function openQuotaUsage(
  { store, box, clock, users }: Pick<QuotaWorld, 'store' | 'box' | 'clock' | 'users'>,
  quotas: Quotas,
): (versions: readonly DescribedVersion[], key?: string) => Promise<readonly QuotaUsage[]> {
  const usageOf = async ({ plan, name, realm_uri }: Rule, start: number, key?: string) => {
    if (key === undefined) {
      const { rule } = quotas.nameOf(name, plan.window, '')
      const rows = await store.quotas.greatest(rule, start, mostTold)
      // one that another key of the store has sealed is told by its digest
      return rows.map(({ sharer, key: digest, used }) => ({
        sharer: box.open(sharer, sharerPurpose) ?? digest,
        used,
      }))
    }
    const names = sharersOf(key, realm_uri).map((sharer) => ({
      ...quotas.nameOf(name, plan.window, sharer),
      window_start: start,
    }))
    const sums = await store.quotas.sums(names)
    return names
      .map(({ sharer }, at) => ({ sharer, used: sums[at] ?? 0 }))
      .filter(({ used }) => used !== 0)
  }
  return async (versions, key) => {
    // what this process has counted since its last exchange
    await quotas.exchange()
    const now = clock.now()
    const told: QuotaUsage[] = []
    for (const rule of rulesOf(versions)) {
      const { name, window, amount } = rule.plan
      const { startMs, endMs } = spanAt(window, now)
      told.push({
        name,
        path: rule.path,
        window: typeof window === 'number' ? window / 1000 : window,
        amount,
        window_start: startMs,
        window_end: endMs,
        usage: (await usageOf(rule, startMs, key)).map((one) => ({
          ...one,
          amount: amountOf(rule.plan, one.sharer, users),
        })),
      })
    }
    return told
  }
}
