/** `service.list_realms`: every realm document that the caller may see, without its secrets. */
import type { Procedure } from '#procedures/definition/procedure.ts'

/** Answers an array of documents, by URI. */
export const listRealms: Procedure = {
  uri: 'service.list_realms',
  parameters: [],
  access: 'read',
  mirrors: [{ method: 'GET', path: '/realms' }],
  handler({ realms }, _args, { within }) {
    const all = realms.list()
    return { value: all.filter(({ uri }) => within === undefined || uri === within) }
  },
}
