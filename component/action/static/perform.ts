/** `static`: a fixed answer. */
import type { Action, ActionFields, Outcome } from '#component/action/action.ts'

const performAtOnce = ({ body = '', headers = {} }: ActionFields): Outcome => ({
  result: { body, headers },
})

/** Its result is what the document declares: `{body, headers}` (behaviour §4). */
export const staticAction: Action = {
  performAtOnce,
  perform: async (fields) => performAtOnce(fields),
}
