/** Upstreams without connections, on a clock that tests move. */
import type { Lookup } from '#component/action/connections/connector.ts'
import { mapOrEmpty } from '#component/syntax/values.ts'
import { upstreamOf } from '#component/upstreams/settings.ts'
import type { Target } from '#component/upstreams/target.ts'
import { Upstream, type Wanted } from '#component/upstreams/upstream.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'

/** Random numbers that repeat from run to run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A clock whose random numbers differ. */
class SeededClock extends ManualClock {
  readonly #random = seeded(7)

  override random(): number {
    return this.#random()
  }
}

/** The ports of an upstream that nothing is sent to. */
const portsOf = (clock: ManualClock = new SeededClock(), lookup: Lookup = () => undefined) => ({
  clock,
  openValue: async () => undefined,
  tokenOf: (_realm_uri: string, _upstream: string, target: string) => `token of ${target}`,
  lookup,
  connections: {
    pool: () => ({ dispatch: () => true }),
    release: () => undefined,
    connected: () => 0,
    proxies: () => false,
    close: async () => undefined,
  },
})

/** A target of a document. @param name its host */
export const target = (name: string, more: object = {}) => ({ url: `http://${name}`, ...more })

/** An upstream of a document. */
export const upstreamWith = (
  written: object,
  clock?: ManualClock,
  before?: Upstream,
  lookup?: Lookup,
): Upstream => {
  const ports = portsOf(clock, lookup)
  return new Upstream('com.example.test', upstreamOf('it', mapOrEmpty(written)), ports, before)
}

/** What a request wants that says nothing. */
export const plain: Wanted = { group: '', key: 'somebody', token: '', tried: [] }

/** The name of a target in {@link target}. */
export const nameOf = (chosen: Target | undefined): string | undefined =>
  chosen?.id.slice('http://'.length)
