/** The stage of `compress`: it stands around all other policies. */
import type { EndpointKind } from '#component/gateway/api.ts'
import type { Exchange } from '#component/gateway/exchange.ts'
import { stage } from '#component/gateway/stage.ts'
import type { PolicyCheck } from '#component/gateway/stage-facts.ts'
import type { RequestState } from '#component/gateway/state.ts'
import type { Compressed, Compression } from './compression.ts'
import { isOfCompressed, plainTags } from './entity-tags.ts'
import { compress } from './kind.ts'
import type { CompressPlan } from './plan.ts'

/** What the stage knows of a request. */
interface Own {
  /** `If-None-Match` as it came, where it names a compressed answer. */
  asked?: string
}

/** The generated endpoints whose answers are compressed: not those of tokens and logins. */
const endpoints: ReadonlySet<EndpointKind> = new Set([
  'openapi.document',
  'openapi.docs',
  'openapi.asset',
  'mcp',
])

/** Whether answers of a generated endpoint are compressed. */
export const isOfEndpoint = (kind: EndpointKind): boolean => endpoints.has(kind)

/** Fields that name tags of answers. */
const tagFields = ['if-none-match', 'if-match', 'if-range'] as const

/** Takes the names of codings off the tags of a request: what is behind knows its own tags only. */
function unmark(exchange: Exchange): void {
  const changed: Record<string, string | undefined> = {}
  for (const name of tagFields) {
    const field = exchange.header(name)
    if (field === undefined || !field.includes('--')) continue
    if (name !== 'if-range' || !isOfCompressed(field)) changed[name] = plainTags(field)
    else {
      // the whole answer replaces the one that the client has a part of
      changed['if-range'] = undefined
      changed.range = undefined
    }
  }
  exchange.amend?.(changed)
}

/** What explain tells of it. */
const findingOf = ({ coding, why }: Compressed): PolicyCheck => ({
  ...{ step: compress.key, passed: true },
  ...(coding ? { coding } : { why }),
})

declare module '#component/gateway/stage-facts.ts' {
  interface StagePorts {
    readonly compression: Compression
  }

  interface StageFacts {
    compress: Record<never, never>
  }
}

/** Compresses the answer, once all other policies have seen it. */
export const compressing = stage('compress', {
  enter(state) {
    const { exchange } = state
    const asked = exchange.header('if-none-match')
    if (asked !== undefined) {
      state.policies ??= {}
      const own: Own = state.policies
      own.asked = asked
    }
    unmark(exchange)
    return undefined
  },
  leave(state, reply) {
    const { compression } = state.parts.policies
    const plan = compress.planOf(state.inherited.policies) as CompressPlan
    const { asked } = (state.policies ?? {}) as Own
    const leave = (compressed: Compressed) => tell(state, compressed).reply
    const done = compression.answer({ exchange: state.exchange, plan, asked }, reply)
    return done instanceof Promise ? done.then(leave) : leave(done)
  },
  facts: () => ({}),
})

function tell({ listener }: RequestState, compressed: Compressed): Compressed {
  listener?.finds(findingOf(compressed))
  return compressed
}
