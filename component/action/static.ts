/** `static`: a fixed answer, without asking anybody. */
import type { Action } from './action.ts'

/** Its result is what the document declares: `{body, headers}` (behaviour §4). */
export const staticAction: Action = {
  async perform({ body = '', headers = {} }) {
    return { result: { body, headers } }
  },
}
