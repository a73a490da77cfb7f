/** `static`: a fixed answer. */
import type { Action } from '#component/action/action.ts'

/** Its result is what the document declares: `{body, headers}` (behaviour §4). */
export const staticAction: Action = {
  async perform({ body = '', headers = {} }) {
    return { result: { body, headers } }
  },
}
