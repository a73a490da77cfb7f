/** The texts of descriptions: made when they are first asked for, within a bound, and forgotten with their version. */
import type { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '#component/errors.ts'
import type { DescribedVersion } from '#component/gateway/api.ts'
import type { Log } from '#component/log.ts'
import { runSteps, type Steps, type YieldTurn } from '#component/yielding.ts'
import { describing } from './document.ts'
import type { DescribeOptions, FindExamples, FindScopeTexts } from './options.ts'
import { type DescriptionType, maxDescription, textOf } from './text.ts'

/** A description as it is sent. */
export interface DescriptionText {
  readonly bytes: Buffer
  /** In quotes. */
  readonly etag: string
}

/** A text, or why there is none: a failure costs as much time as a text, so that it is kept, too. */
type Made = DescriptionText | ServiceError

/** Where descriptions lead, and who makes them. */
export interface TextPorts {
  readonly options: () => DescribeOptions
  /** Absent: no example is shown. */
  readonly findExamples?: FindExamples | undefined
  /** Absent: nothing is said of scopes. */
  readonly scopeTexts?: FindScopeTexts | undefined
  readonly yieldTurn: YieldTurn
  readonly log: Pick<Log, 'error'>
}

/** One for each process. */
export class DescriptionTexts {
  readonly #ports: TextPorts
  readonly #made = new LRUCache<string, Made>({
    maxSize: maxDescription,
    sizeCalculation: (made) => (made instanceof ServiceError ? 1 : made.bytes.length + 1),
  })
  readonly #making = new Map<string, Promise<Made>>()
  /** A load makes new versions: no text of theirs is known, and those of the old ones fall out of the cache. */
  readonly #ids = new WeakMap<DescribedVersion, number>()
  #count = 0

  constructor(ports: TextPorts) {
    this.#ports = ports
  }

  /** @throws ServiceError `service.error.unavailable` for a description of more than 32 MiB */
  async of(described: DescribedVersion, type: DescriptionType): Promise<DescriptionText> {
    const scopeTexts = this.#ports.scopeTexts?.(described.spec.realm_uri) ?? {}
    // the realm may say something else from one request to the next
    const key = `${this.#idOf(described)} ${type} ${JSON.stringify(scopeTexts)}`
    const made = this.#made.get(key) ?? (await this.#once(key, described, type, scopeTexts))
    if (made instanceof ServiceError) throw made
    return made
  }

  #idOf(described: DescribedVersion): number {
    let id = this.#ids.get(described)
    if (id === undefined) {
      id = this.#count += 1
      this.#ids.set(described, id)
    }
    return id
  }

  /** Requests that come meanwhile wait for the same text. */
  #once(
    key: string,
    described: DescribedVersion,
    type: DescriptionType,
    scopeTexts: NonNullable<DescribeOptions['scopeTexts']>,
  ): Promise<Made> {
    const known = this.#making.get(key)
    if (known !== undefined) return known
    const making = this.#make(described, type, scopeTexts)
      .then((made) => {
        this.#made.set(key, made)
        return made
      })
      .finally(() => this.#making.delete(key))
    this.#making.set(key, making)
    return making
  }

  async #make(
    described: DescribedVersion,
    type: DescriptionType,
    scopeTexts: NonNullable<DescribeOptions['scopeTexts']>,
  ): Promise<Made> {
    const { yieldTurn, options, findExamples, log } = this.#ports
    try {
      const holding = await findExamples?.(described)
      const all = { ...options(), scopeTexts, ...(holding && { holding }) }
      return await runSteps(making(described, all, type), yieldTurn)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      const { spec, version } = described
      log.error({ err: error, api_spec: spec.id, version: version.label }, 'not described')
      return error
    }
  }
}

function* making(
  described: DescribedVersion,
  options: DescribeOptions,
  type: DescriptionType,
): Steps<DescriptionText> {
  const bytes = yield* textOf(yield* describing(described, options), type)
  const hash = createHash('sha256')
  for (let at = 0; at < bytes.length; at += hashedAtOnce) {
    hash.update(bytes.subarray(at, at + hashedAtOnce))
    yield
  }
  return { bytes, etag: `"${hash.digest('base64url')}"` }
}

/** Bytes; a step takes less than a millisecond. */
const hashedAtOnce = 262_144
