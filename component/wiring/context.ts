/** The parts that all others of a process share: its state, its users, and the limits on its peers. */
import type { Clock } from '#component/clock.ts'
import type { Config } from '#component/config/config.ts'
import { storeSecret } from '#component/config/store-key.ts'
import { collectAfter } from '#component/limits/gc-pressure.ts'
import { LimitUsage } from '#component/limits/limit-usage.ts'
import { Quota } from '#component/limits/quota.ts'
import type { Log } from '#component/log.ts'
import { LoginCounts } from '#component/login-counts.ts'
import { Families } from '#component/metrics/families.ts'
import { close, parts, type Running, stop } from '#component/parts.ts'
import { Replica } from '#component/replica/replica.ts'
import { SecretBox } from '#component/secret-box.ts'
import { Attempts } from '#component/security/attempts.ts'
import type { Store } from '#component/store/database.ts'
import type { Telemetry } from '#component/telemetry/telemetry.ts'
import { openTelemetry } from '#component/wiring/telemetry/open-telemetry.ts'
import { turnYielder, type YieldTurn } from '#component/yielding.ts'
import { openConfiguredStore } from './open-store.ts'
import { Users } from './users.ts'

/** What a process begins with. */
export interface StartPorts {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  /** The name of this node. */
  readonly node: string
  /** The names of the processes of this gateway, where it has several; the first one sends its heartbeats. */
  readonly workers: readonly string[] | undefined
  /** Resolves when the other processes of this gateway know the change that was just made. */
  readonly broadcast: (() => Promise<void>) | undefined
}

/** The state of a process: its store, and the documents in it. */
export interface NodeState extends StartPorts {
  readonly store: Store
  readonly replica: Replica
  /** Under `store.key`. */
  readonly box: SecretBox
}

/** One for each process. */
export interface WiringContext extends NodeState {
  /** One for all long work of the process. */
  readonly yieldTurn: YieldTurn
  readonly users: Users
  readonly attempts: Attempts
  /** What is counted by place. */
  readonly families: Families
  readonly logins: LoginCounts
  /** How much is used of the limits of this process. */
  readonly usage: LimitUsage
  /** The bytes that this process holds for its peers. */
  readonly budget: Quota
  /** Begins distributed traces; undefined where they are off. */
  readonly telemetry: Telemetry | undefined
}

const contextParts = parts<StartPorts>()
  .part('yieldTurn', [], turnYielder)
  .part('families', ['config', 'clock', 'yieldTurn'], openFamilies)
  .part(
    'traces',
    ['config', 'clock', 'log', 'node', 'families'],
    (ports) => openTelemetry(ports.config, ports),
    close,
  )
  .part('telemetry', ['traces'], ({ traces }) => traces.telemetry)
  .part(
    'store',
    ['config', 'clock', 'log'],
    ({ config, clock, log }) => openConfiguredStore(config, clock, log),
    close,
  )
  .part('replica', ['store', 'clock', 'node', 'log', 'yieldTurn'], openReplica)
  .part('box', ['config'], ({ config }) => new SecretBox(storeSecret(config, config.data_dir)))
  .part(
    'users',
    ['config', 'clock', 'log', 'node', 'workers', 'broadcast', 'store', 'replica', 'box'],
    openUsers,
    stop,
  )
  .part('usage', [], () => new LimitUsage())
  .part('budget', ['config', 'usage'], openBudget)
  .part(
    'collecting',
    ['budget', 'clock'],
    ({ budget, clock }) => ({ stop: collectAfter(budget, { clock }) }),
    stop,
  )
  .part('attempts', ['config', 'usage'], (o) => new Attempts(o.config.rate_limits, o.usage))
  .part('logins', [], () => new LoginCounts())

/**
 * Opens the parts.
 * @throws ConfigError, or Error for a store that cannot be opened; then nothing stays open
 */
export const openContext = (ports: StartPorts): Promise<Running<WiringContext>> =>
  contextParts.start(ports, ports)

function openFamilies({
  config: { metrics },
  clock,
  yieldTurn,
}: {
  readonly config: Config
  readonly clock: Clock
  readonly yieldTurn: YieldTurn
}): Families {
  const { api_label: hasApiLabel, max_series: maxSeries } = metrics
  const families = new Families({ now: () => clock.now(), hasApiLabel, maxSeries })
  families.yieldTurn = yieldTurn
  return families
}

type ReplicaPorts = ConstructorParameters<typeof Replica>[0]

async function openReplica({
  store,
  ...ports
}: Omit<ReplicaPorts, 'store'> & { readonly store: Store }): Promise<Replica> {
  const replica = new Replica({ ...ports, store: store.entries })
  await replica.start()
  return replica
}

function openUsers(state: NodeState): Users {
  const users = new Users(state)
  users.start()
  return users
}

function openBudget({
  config,
  usage,
}: {
  readonly config: Config
  readonly usage: LimitUsage
}): Quota {
  const budget = new Quota(config.limits.buffered_bytes)
  usage.declare('limits.buffered_bytes', budget.limit, () => budget.used)
  return budget
}
