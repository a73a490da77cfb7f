/** The parts of a process as a list: each starts with the values of parts before it, and all stop in the reverse order. */
import type { Log } from './log.ts'

/** How far a start has come. */
export interface Starting {
  /** The reason why the process is not ready, as `/ready` gives it; undefined once every part has started. */
  waitsFor: string | undefined
}

/** A row of the list. */
interface Part {
  readonly name: string
  /** The parts, and values given to the start, whose values it gets. */
  readonly needs: readonly string[]
  readonly start: (needs: never) => unknown
  readonly stop: ((value: never, needs: never) => unknown) | undefined
  /** See {@link PartList.waits}. */
  readonly waits: string | undefined
}

/** A process whose parts have started. */
export interface Running<Has> {
  /** Their values, by name. */
  readonly parts: Has
  /**
   * Stops them in the reverse order, each after the one before it has stopped. Once, however often it is called.
   * @throws the first failure, after all others have been stopped
   */
  stop(): Promise<void>
}

/** How a list is started. */
export interface StartOptions {
  /** Told of each part that cannot be stopped. */
  readonly log: Pick<Log, 'error'>
  /** Ends the start before its next part. */
  readonly signal?: AbortSignal | undefined
}

/** The list: `Given` is what a start is given, `Has` what the next part may need. It does not change: each row makes a new one. */
export class PartList<Given extends object, Has extends object> {
  readonly #rows: readonly Part[]
  readonly #waits: string | undefined

  constructor(rows: readonly Part[], waits: string | undefined) {
    this.#rows = rows
    this.#waits = waits
  }

  /**
   * Adds a part.
   * @param needs exactly these values go to `start`
   * @param start returns the value of the part, or a promise of it; what it throws ends the start
   * @param stop gets the value; absent: there is nothing to stop
   */
  part<Name extends string, Need extends keyof Has & string, Value>(
    name: Name extends keyof Has ? never : Name,
    needs: readonly Need[],
    start: (needs: Pick<Has, Need>) => Value,
    stop?: (value: Awaited<Value>, needs: Pick<Has, Need>) => unknown,
  ): PartList<Given, Has & { readonly [K in Name]: Awaited<Value> }> {
    return new PartList(
      [...this.#rows, { name, needs, start, stop, waits: this.#waits }],
      this.#waits,
    )
  }

  /** From here on {@link Starting.waitsFor} is this. */
  waits(reason: string): PartList<Given, Has> {
    return new PartList(this.#rows, reason)
  }

  /**
   * Starts the parts one after another.
   * @throws what a part has thrown, or the reason of the signal; then everything that has started has been stopped
   */
  async start(given: Given, { log, signal }: StartOptions): Promise<Running<Has>> {
    const starting: Starting = { waitsFor: undefined }
    const parts: Record<string, unknown> = { ...given, starting }
    const stops: { readonly name: string; stop(): unknown }[] = []
    let stopped: Promise<void> | undefined
    const stop = () => {
      stopped ??= stopAll(stops, log)
      return stopped
    }
    try {
      for (const part of this.#rows) {
        signal?.throwIfAborted()
        starting.waitsFor = part.waits
        const needs = Object.fromEntries(part.needs.map((need) => [need, parts[need]])) as never
        const value = await part.start(needs)
        parts[part.name] = value
        stops.push({ name: part.name, stop: () => part.stop?.(value as never, needs) })
      }
      signal?.throwIfAborted()
    } catch (cause) {
      await stop().catch(() => undefined)
      throw cause
    }
    starting.waitsFor = undefined
    return { parts: parts as Has, stop }
  }
}

async function stopAll(
  stops: readonly { readonly name: string; stop(): unknown }[],
  log: Pick<Log, 'error'>,
): Promise<void> {
  const failures: unknown[] = []
  for (const { name, stop } of stops.toReversed()) {
    try {
      await stop()
    } catch (err) {
      log.error({ err, part: name }, 'a part did not stop')
      failures.push(err)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** An empty list. @typeParam Given what a start is given, beside which each part may need `starting` */
export const parts = <Given extends object>(): PartList<
  Given,
  Given & { readonly starting: Starting }
> => new PartList([], undefined)

/** Stops a part that has this method. */
export const close = (part: { close(): unknown } | undefined): unknown => part?.close()

/** Stops a part that has this method. */
export const stop = (part: { stop(): unknown }): unknown => part.stop()
