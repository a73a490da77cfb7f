/** The procedures for the node that answers: its state, and its log. */
import { ServiceError } from '#component/errors.ts'
import { isLogLevel, logLevels } from '#component/log.ts'
import { type Procedure, texts } from '#procedures/definition/procedure.ts'

/** Those that only operators of all realms may call. */
export const nodeProcedures: readonly Procedure[] = [
  {
    // answers the state of the peers, of the registry and of the router, and what the node does not serve
    uri: 'service.registry_status',
    parameters: [],
    access: 'read',
    scope: 'all',
    mirrors: [{ method: 'GET', path: '/registry' }],
    handler: async (management) => ({ value: await management.status() }),
  },
  {
    // answers `{node, level, former_level}`; holds for all processes of the gateway until the next start
    uri: 'service.set_log_level',
    parameters: texts('level'),
    access: 'load',
    scope: 'all',
    keepsDocuments: true,
    mirrors: [],
    async handler({ setLogLevel }, [level], { by }) {
      if (isLogLevel(level)) return { value: await setLogLevel(level, by) }
      const message = `level: expected one of ${logLevels.join(', ')}`
      throw new ServiceError('wamp.error.invalid_argument', message)
    },
  },
]
