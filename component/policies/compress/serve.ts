/** What serves `compress`: its stage, and what compresses in a process. */
import type { Clock } from '#component/clock.ts'
import { Quota } from '#component/limits/quota.ts'
import type { Families } from '#component/metrics/families.ts'
import { Family } from '#component/metrics/family.ts'
import type { Encode } from '#component/policies/etag/conditions.ts'
import { servedPolicy } from '#component/policies/serve.ts'
import { compressing, isOfEndpoint } from './compressing.ts'
import { Compression } from './compression.ts'
import { Compressor } from './compressor.ts'
import { compress as kind } from './kind.ts'

export interface World {
  readonly clock: Clock
  readonly encode: Encode
  readonly families: Families
  /** The bytes that the process holds for its peers. */
  readonly budget: Quota
}

/** The part of all bytes that compressing may hold. */
const part = 1 / 2

/** The other half of the row in `kind.ts`. */
export const compress = servedPolicy('compression', {
  stages: [
    {
      stage: compressing,
      // all others see the answer, and the conditions of the request, without it
      place: 'before security',
      // what is told of the call of a tool is read here
      isNeeded: (plans, { isTool }) => !isTool && kind.planOf(plans) !== undefined,
      isOfEndpoint: (plans, endpoint) => isOfEndpoint(endpoint) && kind.planOf(plans) !== undefined,
    },
  ],
  open({ clock, encode, families, budget }: World) {
    const ofNode = { isOfNode: true } as const
    const compressed = new Family(
      {
        name: 'gateway_compressed_total',
        help: 'Bodies of responses that were compressed, by content coding.',
        labels: ['coding'],
        ...ofNode,
      },
      families,
    )
    const bytes = new Family(
      {
        name: 'gateway_compressed_bytes_total',
        help: 'Bytes of these bodies, by content coding and side: plain before, coded after.',
        labels: ['coding', 'side'],
        ...ofNode,
      },
      families,
    )
    const skipped = new Family(
      {
        name: 'gateway_compressed_skipped_total',
        help: 'Responses of routes with compress that left as they are, by why.',
        labels: ['why'],
        ...ofNode,
      },
      families,
    )
    const compressor = new Compressor(new Quota(Math.floor(budget.limit * part), budget))
    const port = new Compression({
      ...{ clock, compressor, encode },
      onCompressed(coding, plain, coded) {
        compressed.with(coding).add()
        bytes.with(coding, 'plain').add(plain)
        bytes.with(coding, 'coded').add(coded)
      },
      onSkipped: (why) => skipped.with(why).add(),
    })
    const sources = {
      gateway_compressing_streams: {
        help: 'Bodies that are compressed now while they come from an upstream.',
        read: () => compressor.streams,
      },
    }
    return { port, sources }
  },
  rehearse: ({ clock, encode }) =>
    new Compression({
      clock,
      encode,
      compressor: new Compressor(new Quota(Number.MAX_SAFE_INTEGER)),
    }),
})
