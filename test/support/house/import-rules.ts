/** Holds the imports of a room to its rule. */

/** The words every part may use. */
const words = [
  'errors',
  'identity',
  'request',
  'log',
  'clock',
  'in-flight',
  'yielding',
  'secret-box',
  'durable-file',
  'login-counts',
  'login-refusal',
  'oidc-error',
  'program-root',
  'realm-page',
].map((name) => `component/${name}.ts`)

/** The folders every part may use. */
const groundFloor = ['component/syntax', 'component/codec', 'component/limits', 'component/metrics']

/** What one room may import: rooms below `component/` (`action/*`: all folders in one), and npm packages. */
export type RoomRule = { folders: readonly string[] | 'all'; packages: readonly string[] }

/** The package of a bare specifier: `@koa/router/x` is `@koa/router`. */
const packageOf = (name: string): string =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')

/** The imports, out of `names`, that the rule of a room does not allow. */
export const importsAgainst = (rule: RoomRule, names: readonly string[]): string[] =>
  names.filter((name) => {
    if (name.startsWith('node:') || name.startsWith('./')) return false
    if (!name.startsWith('#')) return !rule.packages.includes(packageOf(name))
    if (rule.folders === 'all') return false
    const path = name.slice(1)
    const folder = path.slice(0, path.lastIndexOf('/'))
    if (words.includes(path) || groundFloor.includes(folder)) return false
    const parent = folder.slice(0, folder.lastIndexOf('/'))
    return !rule.folders.some((allowed) =>
      [allowed, `component/${allowed}`].some((one) => one === folder || one === `${parent}/*`),
    )
  })
