/** `service.validate_api_spec`: checks an API Specification as a load would, and keeps nothing. */
import type { Procedure } from '#procedures/definition/procedure.ts'

/** Answers `{id, warnings}`, or refuses as loading would. */
export const validateApiSpec: Procedure = {
  uri: 'service.validate_api_spec',
  parameters: [{ name: 'api_spec', type: 'document' }],
  access: 'load',
  isRehearsal: true,
  isBodyDocument: true,
  mirrors: [],
  async handler({ registry }, [document], { within }) {
    return { value: await registry.validate(document, within) }
  },
}
