/** `service.list_api_specs`: every API Specification that the caller may see. */
import type { Procedure } from '#procedures/definition/procedure.ts'

/** Answers an array of full documents, by id. */
export const listApiSpecs: Procedure = {
  uri: 'service.list_api_specs',
  parameters: [],
  access: 'read',
  mirrors: [{ method: 'GET', path: '/api_specs' }],
  handler: ({ registry }, _args, { within }) => ({ value: registry.list(within) }),
}
