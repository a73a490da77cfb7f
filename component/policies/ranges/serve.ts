/** What serves `ranges`: its stage, and what cuts parts in a process. */
import { isRead } from '#component/policies/answers.ts'
import type { Encode } from '#component/policies/etag/conditions.ts'
import { servedPolicy } from '#component/policies/serve.ts'
import { Cutting, cutting } from './cutting.ts'
import { ranges as kind } from './kind.ts'

/** The other half of the row in `kind.ts`. */
export const ranges = servedPolicy('cutting', {
  stages: [
    {
      stage: cutting,
      place: 'before body',
      // a tool is answered as a whole
      isNeeded: (plans, { isTool, method }) =>
        !isTool && isRead(method) && kind.planOf(plans) !== undefined,
    },
  ],
  open: ({ encode }: { readonly encode: Encode }) => ({ port: new Cutting(encode) }),
  rehearse: ({ encode }) => new Cutting(encode),
})
