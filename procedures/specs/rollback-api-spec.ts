/** `service.rollback_api_spec`: loads a version of the history once more. */

import type { Procedure } from '#procedures/definition/procedure.ts'
import { answerOf } from './load-api-spec.ts'

/** Answers as a load of that document would: `{id, ts, warnings}`. */
export const rollbackApiSpec: Procedure = {
  uri: 'service.rollback_api_spec',
  parameters: [
    { name: 'id', type: 'string' },
    { name: 'hash', type: 'string' },
  ],
  access: 'load',
  mirrors: [{ method: 'POST', path: '/api_specs/:id/rollback' }],
  async handler({ registry }, [id, hash], { by, conditions, within }) {
    return answerOf(await registry.rollback(String(id), String(hash), by, conditions, within))
  },
}
