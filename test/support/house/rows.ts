/** Where the product names a row of a table outside the folder of that row: `type === 'forward'` in place of a property of the row. */
import { actionKinds } from '#component/action/kinds.ts'
import { policyKinds } from '#component/policies/kinds.ts'
import { securityKinds } from '#component/security/kinds.ts'
import type { SourceFile } from './source-tree.ts'

/** A table of rows whose names may stand in the folders of their rows only. */
interface RowTable {
  /** The folder that holds those of the rows, and the files that list the rows. */
  readonly folder: string
  readonly lists: readonly string[]
  readonly names: readonly string[]
  /** The folder of a row, where it has not the name of the row. */
  readonly foldersOf?: Readonly<Record<string, string>>
  /** Where a name may stand, and why: a file, or a folder with all that is in it. */
  readonly exceptions: Readonly<Record<string, string>>
}

/** The tables of the product. */
export const rowTables: Readonly<Record<string, RowTable>> = {
  actions: {
    folder: 'component/action',
    lists: ['index.ts', 'kinds.ts'],
    // an everyday word of other rooms, which would need an exception in each
    names: actionKinds.map(({ type }) => type).filter((type) => type !== 'files'),
    exceptions: {
      'component/openapi/import/operations.ts':
        'an import writes a call, or a forward where it is asked for',
      'component/openapi/import/procedures.ts': 'a procedure is handled by an HTTP service',
      'component/openapi/import/target.ts': 'the option --forward of the command import',
      'component/cli/contract': 'the option --forward of the command import',
      'component/wiring/explain/rehearsal-ports.ts': 'the section forward of the configuration',
      'component/config': 'the section forward of the configuration',
      'component/realm/documents/info/upstream-rules.ts': 'addresses: each of an upstream',
      'component/upstreams/settings.ts': 'addresses: each of an upstream',
      'component/telemetry/otlp/recorded-attempt.ts':
        'the semantic conventions of OpenTelemetry, which the room of the exporter knows',
    },
  },
  policies: {
    folder: 'component/policies',
    lists: ['index.ts', 'kinds.ts'],
    names: policyKinds.map(({ key }) => key),
    foldersOf: { rate_limit: 'limits', quota: 'limits' },
    exceptions: {
      'component/config': 'sections of the configuration',
      'component/cli/admin-client.ts': 'the header field ETag',
      'component/router/limits/unread.ts': 'an option of the package ws',
      'component/gateway/response.ts': 'the header field ETag',
      'component/openapi/texts.ts': 'the ETag of a description',
      'http/console/page-files.ts': 'the ETag of a file',
      'http/management/conditional.ts': 'the header field ETag',
      procedures: 'the header field ETag',
      'component/realm/crossbar-authenticator.ts': 'a key of what Crossbar.io is answered',
      'component/wiring/status/login-status.ts': 'a label of metrics',
      'component/explain/explanation/response-source.ts': 'why an answer has no content',
    },
  },
  security: {
    folder: 'component/security',
    lists: ['schemes.ts', 'kinds.ts'],
    names: securityKinds.map(({ type }) => type),
    exceptions: {
      'component/openapi/import/security.ts':
        'OpenAPI names oauth2 as well; what has no equal is closed by an API key',
      'component/wiring/streams/stream-rights.ts': 'authmethods of users',
      'component/wiring/http-authentication.ts': 'parts of a process',
      'component/wiring/metric-sources.ts': 'parts of a process',
      'component/realm': 'authmethods of users, keys of realm documents',
      'component/token': 'authmethods of tokens, kinds of entries in the store',
      'component/credentials': 'types of auth of upstreams',
      'component/oidc': 'counts of logins by authmethod, how a client authenticates',
      'component/replica': 'kinds of entries in the store',
      'component/sync': 'kinds of entries in the store',
      'component/explain/redaction': 'names of secrets',
      'component/cli/new/from-example.ts': 'names of examples',
      'component/config': 'sections of the configuration',
      'http/oauth': 'authmethods of users, HTTP Basic of clients (RFC 6749 §2.3.1)',
      'http/oidc': 'authmethods of users',
    },
  },
}

/** Whether a line is neither a comment that stands alone nor an import. */
const isCode = (line: string): boolean => !/^\s*(?:\/\/|\/?\*)|^import |\bfrom '/.test(line)

/** A name as a text, as a key or as a member of policies, and the beginning that those of WAMP actions share. */
function anywhere(names: readonly string[]): RegExp {
  const any = names.join('|')
  return new RegExp(
    `(['"])(?:${any})\\1|^\\s*(?:${any})(?::|,$)|[{,]\\s(?:${any}):|\\b(?:policies|plans)\\??\\.(?:${any})\\b|(['"])wamp_\\2`,
  )
}

/** A type that is compared with a name. */
const compared = (names: readonly string[]): RegExp =>
  new RegExp(`\\btype\\b\\)?\\s*[!=]==\\s*['"](?:${names.join('|')})['"]`)

/** The lines that name a row outside its folder, as `file:line: text`. In a folder that is an exception no type is compared with a name. */
export function namesOutside(
  tree: readonly Pick<SourceFile, 'path' | 'text'>[],
  table: RowTable,
): string[] {
  const { folder, lists, names, foldersOf = {}, exceptions } = table
  const own = names.map((name) => `${folder}/${foldersOf[name] ?? name.replaceAll('_', '-')}/`)
  const free = [...lists.map((file) => `${folder}/${file}`), ...Object.keys(exceptions)]
  const folders = Object.keys(exceptions).map((path) => `${path}/`)
  return tree
    .filter(({ path }) => path.endsWith('.ts') && !free.includes(path))
    .filter(({ path }) => !own.some((one) => path.startsWith(one)))
    .flatMap(({ path, text }) => {
      const isExcepted = folders.some((one) => path.startsWith(one))
      const pattern = isExcepted ? compared(names) : anywhere(names)
      return text
        .split('\n')
        .flatMap((line, index) =>
          isCode(line) && pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
        )
    })
}
