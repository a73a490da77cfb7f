/** Loads documents: each is checked alone, then beside the others; those that are accepted become live together. */
import type { Issue } from '#component/errors.ts'
import type { LoadedDocument } from '#component/replica/document-text.ts'
import type { Document } from '#component/replica/entry.ts'
import type { FeaturedDraft, OpenedChange } from '#component/replica/envelope.ts'
import { type Conditions, checkConditions } from '#component/replica/history.ts'
import { runSteps } from '#component/yielding.ts'
import { type Candidate, examine, idOf, judge } from './candidate.ts'
import { checkWithin, type Loaded } from './change.ts'
import type { LiveDocuments, Taken } from './live-documents.ts'
import { announceConflict, type RegistryPorts } from './registry-ports.ts'
import type { SpecReplica } from './spec-replica.ts'
import { Stage } from './stage.ts'

const list = new Intl.ListFormat('en')

/** A document that is to be loaded. */
export interface Asked {
  /** May reject. */
  readonly read: () => LoadedDocument | Promise<LoadedDocument>
  /** The operator, for the log. */
  readonly by: string
  readonly conditions: Conditions
  /** The realm that both the document and the one in its place must belong to; absent: any. */
  readonly within?: string | undefined
}

/** A document that was checked alone. */
interface Examined<R> extends Asked {
  readonly candidate: Candidate<R>
}

/** A document that was accepted. */
interface Accepted {
  readonly draft: FeaturedDraft
  readonly by: string
  readonly warnings: readonly Issue[]
}

type Settled<T> = PromiseSettledResult<T>

async function settle<T>(task: () => T | Promise<T>): Promise<Settled<T>> {
  try {
    return { status: 'fulfilled', value: await task() }
  } catch (reason) {
    return { status: 'rejected', reason }
  }
}

/** Of one registry. */
export class Loading<R> {
  readonly #ports: RegistryPorts<R>
  readonly #replica: SpecReplica
  readonly #live: LiveDocuments<R>

  constructor(ports: RegistryPorts<R>, replica: SpecReplica, live: LiveDocuments<R>) {
    this.#ports = ports
    this.#replica = replica
    this.#live = live
  }

  /** Loads one document. Throws what it is refused with; then nothing has changed. */
  async load(asked: Asked): Promise<Loaded> {
    const [result] = await this.loadAll([asked])
    if (result?.status === 'fulfilled') return result.value
    throw result?.reason
  }

  /**
   * Loads documents, in few changes.
   * @param all with different ids
   * @returns the result of each, in their order: one that is refused keeps no other back
   */
  async loadAll(all: readonly Asked[]): Promise<Settled<Loaded>[]> {
    const examined: Settled<Examined<R>>[] = []
    for (const asked of all) examined.push(await settle(() => this.#examine(asked)))
    const results: Settled<Loaded>[] = []
    while (results.length < all.length) {
      results.push(...(await this.#loadSome(examined.slice(results.length))))
    }
    return results
  }

  async #examine(asked: Asked): Promise<Examined<R>> {
    const document = await asked.read()
    checkWithin(document.value, asked.within)
    return { ...asked, candidate: await examine(document, this.#ports) }
  }

  /** Loads the first one, and those after it that can be judged before it is live. */
  async #loadSome(examined: readonly Settled<Examined<R>>[]): Promise<Settled<Loaded>[]> {
    let judged: Settled<Accepted>[] = []
    const changed = await settle(() =>
      this.#replica.change(async () => {
        // again where another process was faster
        judged = []
        const stage = new Stage(this.#live)
        for (const one of examined) {
          const result = await settle(() => this.#judge(one, stage))
          if (result.status === 'rejected') judged.push(result)
          else if (result.value === undefined) break
          else judged.push({ status: 'fulfilled', value: result.value })
        }
        this.#live.expect(stage)
        return judged.flatMap((one) => (one.status === 'fulfilled' ? one.value.draft : []))
      }),
    )
    if (changed.status === 'rejected') {
      const these = judged.length > 0 ? judged : examined
      return these.map((one) => (one.status === 'rejected' ? one : changed))
    }
    const changes = changed.value.values()
    const results: Settled<Loaded>[] = []
    for (const one of judged) {
      if (one.status === 'fulfilled') {
        const { value: change } = changes.next()
        if (change === undefined) throw new TypeError('the replica has lost a change')
        const warnings = (await this.#ports.registered?.(change.entry.id)) ?? []
        const accepted = { ...one.value, warnings: [...one.value.warnings, ...warnings] }
        results.push({ status: 'fulfilled', value: this.#loaded(accepted, change) })
      } else results.push(one)
    }
    return results
  }

  /** undefined: it can only be judged once the documents of the stage are live. Throws what it is refused with. */
  async #judge(examined: Settled<Examined<R>>, stage: Stage<R>): Promise<Accepted | undefined> {
    if (examined.status === 'rejected') throw examined.reason
    const { candidate, by, conditions, within } = examined.value
    const { managementPaths, yieldTurn } = this.#ports
    const current = this.#live.get(idOf(candidate) ?? '')
    checkWithin(current?.document, within)
    if (candidate.api) checkConditions(current?.hash, conditions)
    const around = { live: stage, managementPaths, isWithin: within !== undefined }
    const onTaken = (id: string, taken: Taken) => this.#tellRefusal(id, taken, by)
    const accepted = await runSteps(judge(candidate, around, onTaken), yieldTurn)
    if (accepted === undefined) return undefined
    const { api, selection } = accepted
    const { id, features } = api
    const written = candidate.document
    const document = written.value as Document // what compiles is a map
    stage.add(document, api, selection)
    const warnings = [...accepted.warnings, ...this.#mixedCluster(features)]
    return { draft: { id, document, written, features, by }, by, warnings }
  }

  #loaded({ by, warnings }: Accepted, { before, entry }: OpenedChange): Loaded {
    const { id, stamp, hash } = entry
    this.#ports.log.info({ api_spec: id, by, hash, old_hash: before?.hash ?? undefined }, 'loaded')
    const isNew = before === undefined || before.document === null
    return { id, ts: stamp.ms, hash: hash ?? '', warnings, isNew }
  }

  /** Warns where other gateways do not know what the document needs. */
  #mixedCluster(features: readonly string[]): Issue[] {
    const others = features.length === 0 ? [] : (this.#ports.nodesWithout?.(features) ?? [])
    if (others.length === 0) return []
    const [nodes, keys] = [others, features].map((names) => list.format(names))
    const message = `${nodes} cannot serve a document with ${keys}, and goes on to serve the version before it, if there is one: upgrade all gateways of the cluster`
    return [{ path: '', message }]
  }

  #tellRefusal(id: string, { other, path }: Taken, by: string): void {
    const { log, node } = this.#ports
    log.warn({ api_spec: id, by, other, path }, 'refused: a route is taken')
    announceConflict(this.#ports, { id, node, other, path })
  }
}
