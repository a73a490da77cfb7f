/** The API Specifications of the replica as their authors wrote them: puts documents into envelopes, and takes them out. */
import { loadingDocument } from '#component/replica/document-text.ts'
import type { Draft } from '#component/replica/entry.ts'
import {
  envelopeOf,
  type FeaturedDraft,
  type OpenedChange,
  type OpenedEntry,
  opened,
  writingEnvelope,
} from '#component/replica/envelope.ts'
import type { Replica } from '#component/replica/replica.ts'
import { runSteps, type Steps, type YieldTurn } from '#component/yielding.ts'

type Source = Pick<Replica, 'change' | 'watch' | 'entries' | 'versions'>

/** Methods throw what those of {@link Replica} throw. */
export class SpecReplica {
  readonly #replica: Source
  readonly #yieldTurn: YieldTurn

  constructor(replica: Source, yieldTurn: YieldTurn) {
    this.#replica = replica
    this.#yieldTurn = yieldTurn
  }

  /** The newest versions, tombstones included. */
  entries(): OpenedEntry[] {
    return this.#replica.entries('api_spec').map(opened)
  }

  /** The last versions of a document, newest first. */
  async versions(id: string): Promise<OpenedEntry[]> {
    return (await this.#replica.versions('api_spec', id)).map(opened)
  }

  /** See {@link Replica.watch}. */
  watch(watcher: (changes: readonly OpenedChange[]) => Promise<void>): void {
    this.#replica.watch('api_spec', (changes) => watcher(changes.map(openedChange)))
  }

  /** Changes documents. @returns the changes, in the order of the drafts */
  async change(decide: () => Promise<readonly FeaturedDraft[]>): Promise<OpenedChange[]> {
    const changes = await this.#replica.change('api_spec', async () => {
      const drafts: Draft[] = []
      for (const draft of await decide()) drafts.push(await this.#enveloped(draft))
      return drafts
    })
    return changes.map(openedChange)
  }

  async #enveloped({ features = [], ...draft }: FeaturedDraft): Promise<Draft> {
    const { document } = draft
    if (document === null || features.length === 0) return draft
    const content = draft.written ?? (await this.#run(loadingDocument(document)))
    const envelope = envelopeOf(document, content.hash, features)
    const written = await this.#run(writingEnvelope(envelope, content))
    return { ...draft, document: envelope, written }
  }

  #run<T>(steps: Steps<T>): Promise<T> {
    return runSteps(steps, this.#yieldTurn)
  }
}

const openedChange = ({ entry, before }: OpenedChange): OpenedChange => ({
  entry: opened(entry),
  before: opened(before),
})
