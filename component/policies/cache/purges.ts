/** Which rules wait for which events, and what these drop. WAMP delivers nothing to the absent: who may have missed an event drops all. */
import type { Context } from '#component/expression/nodes.ts'
import type { Match } from '#component/syntax/wamp-uri.ts'
import type { CachePlan, PurgePlan } from './plan.ts'
import { ruleLabel, tagLabel } from './purge-labels.ts'
import type { ResponseCache } from './response-cache.ts'
import { evaluateTags } from './tags.ts'

/** A rule of a document that is served. */
export interface PurgeRule {
  /** The id of the document. */
  readonly api: string
  readonly realm_uri: string
  readonly plan: CachePlan
}

/** What is subscribed to. */
export interface PurgeTopic {
  readonly realm_uri: string
  readonly topic: string
  readonly match: Match
}

/** What a subscription tells, synchronously and in order. */
export interface PurgeHandlers {
  /** Every event comes from now on. */
  onHeard(): void
  /** Events may be missed from now on, until {@link onHeard}. */
  onLost(): void
  /** @param event `action.event` of the API Context */
  onEvent(event: object): void
}

/** The dependencies of {@link Purges}. */
export interface PurgePorts {
  readonly cache: Pick<ResponseCache, 'purge'>
  /** At least 0, less than 1. */
  readonly random: () => number
  /** Subscribes, and again whenever it must. @returns ends it: no handler is called any more */
  subscribe(topic: PurgeTopic, handlers: PurgeHandlers): () => void
}

/** A rule, and which of its events this is. */
interface Waiting {
  readonly rule: PurgeRule
  readonly purge: PurgePlan
}

interface Subscribed {
  waiting: readonly Waiting[]
  isHeard: boolean
  end: () => void
}

/** The subscriptions of a process. */
export class Purges {
  readonly #ports: PurgePorts
  readonly #subscribed = new Map<string, Subscribed>()

  constructor(ports: PurgePorts) {
    this.#ports = ports
  }

  /** Subscribes to what these rules wait for, and to nothing else. */
  follow(rules: Iterable<PurgeRule>): void {
    const wanted = new Map<string, { topic: PurgeTopic; waiting: Waiting[] }>()
    for (const rule of rules) {
      for (const purge of rule.plan.purges) {
        const { realm_uri } = rule
        const topic = { realm_uri, topic: purge.topic, match: purge.match }
        const known = wanted.get(keyOf(topic)) ?? { topic, waiting: [] }
        known.waiting.push({ rule, purge })
        wanted.set(keyOf(topic), known)
      }
    }
    for (const [key, { end }] of this.#subscribed) {
      if (wanted.has(key)) continue
      this.#subscribed.delete(key)
      end()
    }
    for (const [key, { topic, waiting }] of wanted) {
      const known = this.#subscribed.get(key)
      if (known) known.waiting = waiting
      else this.#subscribe(key, topic, waiting)
    }
  }

  /** Whether every event that the rule waits for comes. */
  isHeard({ realm_uri, plan }: Omit<PurgeRule, 'api'>): boolean {
    return plan.purges.every(
      ({ topic, match }) =>
        this.#subscribed.get(keyOf({ realm_uri, topic, match }))?.isHeard === true,
    )
  }

  #subscribe(key: string, topic: PurgeTopic, waiting: readonly Waiting[]): void {
    const subscribed: Subscribed = { waiting, isHeard: false, end: () => undefined }
    this.#subscribed.set(key, subscribed)
    subscribed.end = this.#ports.subscribe(topic, {
      onHeard() {
        subscribed.isHeard = true
      },
      onLost: () => {
        subscribed.isHeard = false
        for (const { rule } of subscribed.waiting) this.#drop(rule)
      },
      onEvent: (event) => {
        for (const { rule, purge } of subscribed.waiting) this.#purge(rule, purge, event)
      },
    })
  }

  /** An event whose tags cannot be told drops everything of the rule. */
  #purge(rule: PurgeRule, { tags }: PurgePlan, event: object): void {
    const nothing = {}
    const { random } = this.#ports
    const context: Context = { request: nothing, action: { event }, security: nothing, random }
    const told = tags && evaluateTags(tags, context)
    const label = ruleLabel(rule.api, rule.plan)
    if (told === undefined) this.#drop(rule)
    else for (const tag of told) this.#ports.cache.purge(tagLabel(label, tag), label)
  }

  #drop({ api, plan }: PurgeRule): void {
    this.#ports.cache.purge(ruleLabel(api, plan))
  }
}

/** No URI has a line break. */
const keyOf = ({ realm_uri, topic, match }: PurgeTopic): string =>
  `${realm_uri}\n${match}\n${topic}`
