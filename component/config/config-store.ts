/** The section `store` of the configuration: where documents and all that outlives the process are kept. */
import { secret, section } from './config-members.ts'
import { integer, mayBeAbsent, string } from './json-schema.ts'

/** Members of `store`. */
export const storeSection = section(
  {
    url: mayBeAbsent(
      string({
        description:
          '`sqlite:<file>`, or `postgres://user:password@host:port/database` for several gateways that share one. Default: `sqlite:<data_dir>/gateway.db`.',
      }),
    ),
    pool: integer({
      default: 2,
      minimum: 1,
      maximum: 100,
      description:
        'Connections of each process to PostgreSQL on which queries run. Each process has one more, which watches the database and is told of changes.',
    }),
    key: mayBeAbsent(
      secret(
        'The key that seals the secrets in the store: the same on all gateways that share a store or a router, at least 16 characters. A store opens with no other key: when `cluster.key` changes, set this to the former one. Default: the file `store.key` in `data_dir` if it exists, else `cluster.key` if it is set, else a random key that is kept in that file.',
      ),
    ),
  },
  'The store of specifications and realms.',
)
