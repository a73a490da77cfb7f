/** The rules of a body that is streamed to the action of its operation. */
import { milliseconds } from './http-rules.ts'
import { described, oneOf } from './rules.ts'

/** Keys of operations. */
export const streamedBodyKeys = {
  body: described(
    oneOf(['stream']),
    'The body of a request is sent to the procedure as it arrives, in pieces of one call.',
  ),
  body_idle_timeout: described(
    milliseconds,
    'How long a client may send nothing of a body that is streamed; milliseconds.',
    { default: 30_000 },
  ),
}
