/** One upstream of a realm in this process: its targets, and the choice among them. */
import type { Lookup } from '#component/action/connections/connector.ts'
import type { Connections } from '#component/action/connections/upstreams.ts'
import type { Clock } from '#component/clock.ts'
import { Addresses } from './addresses.ts'
import type { Credentials, OpenCredentials } from './credentials.ts'
import { openProxy } from './proxy.ts'
import { RetryBudget } from './retry-budget.ts'
import { type Drawn, type Member, Ring } from './ring.ts'
import type { OpenValue } from './secure-context.ts'
import type { TargetSettings, UpstreamSettings } from './settings.ts'
import { keyOf, Target, type TargetConnection, type TargetEnd, type Turn } from './target.ts'

/** What upstreams need of the process. */
export interface UpstreamPorts {
  /** Opens a value of an upstream that may be a secret, or refer to one. Rejects where a file cannot be read. */
  openValue(realm_uri: string, upstream: string, value: unknown): Promise<string | undefined>
  /** A text that follows from a target, the same on every node, and that nobody else can make. */
  tokenOf(realm_uri: string, upstream: string, target: string): string
  /** Resolves names, where each address is a target. */
  readonly lookup: Lookup
  /** Told when addresses have come or gone. */
  onTargets?(): void
  /** Told when a target is out or back. */
  onTurn?(upstream: Upstream, target: Target, turn: Turn): void
  readonly clock: Clock
  readonly connections: Connections
  /** Absent: no upstream has credentials. */
  readonly openCredentials?: OpenCredentials
}

/** Whether the setting is a name, and not one of the words. */
const hasOwnName = (hostHeader: string): boolean => !['target', 'request'].includes(hostHeader)

/** What decides the target of a request. */
export interface Wanted extends Pick<Drawn, 'key' | 'tried'> {
  /** The group whose targets are wanted; empty: none. */
  readonly group: string
  /** What the client has of a target by its cookie; empty: nothing. */
  readonly token: string
}

/** How requests to targets end. */
export const targetEnds = ['success', 'failure', 'unknown'] as const satisfies TargetEnd['result'][]

/** A target, and what has become of it: `out` by failures, `down` by checks. */
export interface TargetState {
  readonly target: Target
  readonly state: 'up' | 'out' | 'down' | 'draining' | 'unresolved'
}

/** One that the document writes, and the targets that it is now. */
interface Entry {
  readonly settings: TargetSettings
  targets: readonly Target[]
}

/** The targets as they are chosen now. */
interface Choice {
  readonly targets: readonly Target[]
  /** Those that get requests by themselves, backups too. */
  readonly counted: readonly Target[]
  /** Those that requests go to which want no group, then those that stand in while none of these is there. */
  readonly rings: readonly Ring[]
  readonly groups: ReadonlyMap<string, Ring>
  /** What the cookie of a target says, and a ring of it alone: none without cookies. */
  readonly tokens: ReadonlyMap<Target, string>
  readonly stuck: ReadonlyMap<string, Ring>
}

/** Its targets are those of one load of the realm. */
export class Upstream {
  readonly realm_uri: string
  readonly settings: UpstreamSettings
  /** Requests that went to another target, and that were not sent once more for want of budget. */
  readonly counts: { failovers: number; exhausted: number }
  /** Of the requests that may be sent twice. */
  readonly budget: RetryBudget
  /** What proves to its targets who asks; undefined: nothing. */
  readonly credentials: Credentials | undefined
  /** What proves to its proxy who asks; undefined: nothing. */
  readonly proxyCredentials: Credentials | undefined
  readonly #ports: UpstreamPorts
  readonly #entries: readonly Entry[]
  readonly #resolving: readonly { readonly url: string; readonly addresses: Addresses }[]
  readonly #connectionOf: (one: TargetSettings, address: string | undefined) => TargetConnection
  readonly #make: (connection: TargetConnection) => Target
  /** Replaced when addresses come and go. */
  #choice: Choice

  /** @param before the one that it takes the place of: targets whose connections are the same go on */
  constructor(
    realm_uri: string,
    settings: UpstreamSettings,
    ports: UpstreamPorts,
    before?: Upstream,
  ) {
    const { clock, connections, openCredentials } = ports
    const { name, auth } = settings
    const holder = { realm_uri, upstream: name }
    const open: OpenValue = (value) => ports.openValue(realm_uri, name, value)
    const { proxy } = settings
    this.proxyCredentials = proxy?.auth && openCredentials?.(holder, proxy.auth)
    const by = proxy && openProxy(proxy, this.proxyCredentials, open)
    this.credentials = auth && openCredentials?.(holder, auth, by && { proxy: by, of: proxy })
    this.realm_uri = realm_uri
    this.settings = settings
    this.#ports = ports
    this.counts = before?.counts ?? { failovers: 0, exhausted: 0 }
    const isBudgetKept = before?.settings.retryBudget === settings.retryBudget
    this.budget = isBudgetKept ? before.budget : new RetryBudget(settings.retryBudget)
    const { tls, hostHeader } = settings
    const serverName = tls?.server_name ?? (hasOwnName(hostHeader) ? hostHeader : undefined)
    this.#connectionOf = ({ url, origin, socketPath }, address) => {
      const { connections, proxy } = settings
      return { url, origin, address, socketPath, proxy, connections, tls, serverName }
    }
    this.#make = (connection) =>
      new Target(connection, { connections, open, proxy: by }, clock.now())
    this.#entries = settings.targets.map((one) => ({
      settings: one,
      targets: this.#targetsOf(one, before?.addressesOf(one.url) ?? [], before?.targets ?? []),
    }))
    this.#choice = this.#choiceOf()
    this.#resolving = this.#entries.flatMap((entry) => this.#resolvingOf(entry))
  }

  /** All of them, those of addresses too. */
  get targets(): readonly Target[] {
    return this.#choice.targets
  }

  /** The addresses of a target that are in use, where each is a target. */
  addressesOf(url: string): readonly string[] {
    const entry = this.#entries.find(({ settings }) => settings.url === url)
    return entry?.targets.flatMap(({ address }) => address ?? []) ?? []
  }

  /** Asks for addresses from now on, where each is a target. */
  start(): void {
    for (const { addresses, url } of this.#resolving) addresses.start(this.addressesOf(url))
  }

  /** The targets of one that the document writes: each of its addresses, or the name alone while none is known. */
  #targetsOf(
    one: TargetSettings,
    addresses: readonly string[],
    known: readonly Target[],
  ): readonly Target[] {
    const isResolved = this.settings.resolveMs !== undefined && addresses.length > 0
    return (isResolved ? addresses : [undefined]).map((address) => {
      const connection = this.#connectionOf(one, address)
      const key = keyOf(connection)
      return known.find((target) => target.key === key) ?? this.#make(connection)
    })
  }

  #resolvingOf(entry: Entry): { readonly url: string; readonly addresses: Addresses }[] {
    const { settings: one } = entry
    const { resolveMs, drainMs } = this.settings
    // a proxy resolves names itself
    const isFixed = one.origin.isAddress || one.socketPath !== undefined || this.settings.proxy
    if (resolveMs === undefined || isFixed) return []
    const addresses = new Addresses(this.#ports, one.origin, resolveMs, (found) => {
      const former = entry.targets
      entry.targets = this.#targetsOf(one, found, former)
      this.#choice = this.#choiceOf()
      for (const target of former) if (!entry.targets.includes(target)) target.release(drainMs)
      this.#ports.onTargets?.()
    })
    return [{ url: one.url, addresses }]
  }

  #choiceOf(): Choice {
    const { settings } = this
    const pairs = this.#entries.flatMap((entry) =>
      entry.targets.map((target) => [entry.settings, target] as const),
    )
    const ringOf = (isIn: (one: TargetSettings) => boolean, least: number): Ring => {
      const members = pairs.flatMap(([one, target]): Member[] => {
        const weight = Math.max(one.weight, least)
        return !one.isDrained && weight > 0 && isIn(one) ? [{ target, weight }] : []
      })
      return new Ring(members, settings, this.#ports.clock)
    }
    const hasBackup = settings.targets.some(({ isBackup }) => isBackup)
    const names = new Set(settings.targets.flatMap(({ group }) => group ?? []))
    const { clock, tokenOf } = this.#ports
    const stuck = settings.sticky ? pairs.filter(([{ isDrained }]) => !isDrained) : []
    const tokens = new Map(
      stuck.map(([, target]) => [target, tokenOf(this.realm_uri, settings.name, target.id)]),
    )
    return {
      tokens,
      stuck: new Map(
        [...tokens].map(([target, token]) => [
          token,
          new Ring([{ target, weight: 1 }], settings, clock),
        ]),
      ),
      targets: pairs.map(([, target]) => target),
      counted: pairs.flatMap(([{ weight, isDrained }, target]) =>
        weight > 0 && !isDrained ? [target] : [],
      ),
      rings: [
        ringOf(({ isBackup }) => !isBackup, 0),
        ...(hasBackup ? [ringOf(({ isBackup }) => isBackup, 0)] : []),
      ],
      groups: new Map([...names].map((name) => [name, ringOf(({ group }) => group === name, 1)])),
    }
  }

  /** The target of a request: the one of its cookie, else one of the wanted group, else of the others, else a backup; undefined: none can be reached now. */
  choose({ group, key, token, tried }: Wanted): Target | undefined {
    const drawn: Drawn = { key, tried, now: this.now() }
    const stuck = token === '' ? undefined : this.#choice.stuck.get(token)?.choose(drawn)
    if (stuck) return stuck
    const wanted = group === '' ? undefined : this.#choice.groups.get(group)?.choose(drawn)
    if (wanted) return wanted
    for (const ring of this.#choice.rings) {
      const target = ring.choose(drawn)
      if (target) return target
    }
    return undefined
  }

  /** What the cookie of a target says; undefined: there is none. */
  tokenOf(target: Target): string | undefined {
    return this.#choice.tokens.get(target)
  }

  /** The `Host` of a request; undefined: that of its target. @param received that of the client */
  hostFor(received: string): string | undefined {
    const { hostHeader } = this.settings
    if (hostHeader === 'target') return undefined
    return hostHeader === 'request' ? received : hostHeader
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#ports.clock.now()
  }

  /** Whether another target may take over a request that one has failed. */
  get hasOthers(): boolean {
    return this.settings.failover > 0 && this.targets.length > 1
  }

  /** The answer to a request has come, or will not come. @param ticket of its begin */
  end(target: Target, ticket: number, end: TargetEnd): void {
    const isLast = () => !this.#choice.counted.some((one) => one !== target && one.isUp)
    const turn = target.end(ticket, end, this.now(), this.settings.health, isLast)
    if (turn !== undefined) this.#ports.onTurn?.(this, target, turn)
  }

  /** What the checks say of a target. */
  mark(target: Target, isDown: boolean, reason: string | undefined): void {
    const turn = target.mark(isDown, reason, this.now())
    if (turn !== undefined) this.#ports.onTurn?.(this, target, turn)
  }

  /** What has become of its targets in this process, in their order. */
  states(): readonly TargetState[] {
    const isResolved = this.settings.resolveMs !== undefined
    return this.#entries.flatMap(({ settings: { isDrained, origin }, targets }) =>
      targets.map((target): TargetState => {
        if (target.isDown) return { target, state: 'down' }
        if (!target.isUp) return { target, state: 'out' }
        if (isDrained) return { target, state: 'draining' }
        const isKnown = !isResolved || origin.isAddress || target.address !== undefined
        return { target, state: isKnown ? 'up' : 'unresolved' }
      }),
    )
  }

  /** Lets go of the targets that the one in its place has not; undefined: there is none. */
  retire(next: Upstream | undefined): void {
    for (const { addresses } of this.#resolving) addresses.stop()
    for (const target of this.targets) {
      if (!next?.targets.includes(target)) target.release(this.settings.drainMs)
    }
  }
}
