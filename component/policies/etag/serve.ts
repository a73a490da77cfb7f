/** What serves `etag`: its stage, and the ETags that a process knows. */
import { servedPolicy } from '#component/policies/serve.ts'
import { Conditions, conditional, type Encode } from './conditions.ts'
import { etag as kind } from './kind.ts'

/** The other half of the row in `kind.ts`. */
export const etag = servedPolicy('conditions', {
  stages: [
    {
      stage: conditional,
      place: 'before body',
      isNeeded: (plans) => kind.planOf(plans) !== undefined,
    },
  ],
  open: ({ encode }: { readonly encode: Encode }) => ({ port: new Conditions(encode) }),
  rehearse: ({ encode }) => new Conditions(encode),
})
