/** The options of the section `log`. */
import { logLevels } from '#component/log.ts'
import { section } from './config-members.ts'
import { boolean, literal, union } from './json-schema.ts'

/** The level and the form of the lines, and which there are. */
export const logSection = section(
  {
    level: union(
      logLevels.map((name) => literal(name)),
      { default: 'info', description: 'The lowest level that is logged.' },
    ),
    format: union(
      ['auto', 'pretty', 'json'].map((name) => literal(name)),
      {
        default: 'auto',
        description:
          '`pretty`: lines for people. `json`: one JSON object a line. `auto`: `pretty` when standard output is a terminal, else `json`.',
      },
    ),
    access: boolean({ default: true, description: 'Log one line for each request.' }),
  },
  'Logging, on standard output.',
)
