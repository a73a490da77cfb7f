/** The direction of imports and the one door of each package: the table of docs/architecture.md, executable. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'

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
].map((name) => `component/${name}.ts`)

/** The folders every part may use. */
const groundFloor = ['component/syntax', 'component/codec', 'component/limits']

/** Folder: which folders it may import, and which packages enter through it. */
const table: Record<string, { folders: readonly string[] | 'all'; packages: readonly string[] }> = {
  component: { folders: 'all', packages: ['pino'] },
  'component/config': { folders: ['store'], packages: ['ajv', 'yaml'] },
  'component/wiring': { folders: 'all', packages: [] },
  'component/workers': { folders: 'all', packages: ['pino'] },
  http: { folders: 'all', packages: ['raw-body'] },
  'http/limits': { folders: ['http'], packages: [] },
  'http/management': {
    folders: 'all',
    packages: ['koa', '@koa/router', 'koa-body', 'prom-client'],
  },
  'http/oauth': { folders: 'all', packages: [] },
  'http/oidc': { folders: 'all', packages: [] },
  procedures: {
    folders: [
      'procedures/definition',
      'procedures/realms',
      'procedures/specs',
      'procedures/users',
      'registry',
      'wamp',
    ],
    packages: [],
  },
  'procedures/realms': { folders: ['procedures/definition', 'realm'], packages: [] },
  'procedures/specs': { folders: ['procedures/definition', 'registry'], packages: [] },
  'procedures/users': {
    folders: ['procedures/definition', 'realm', 'token', 'wamp'],
    packages: [],
  },
  'procedures/definition': {
    folders: ['realm', 'realm/documents', 'registry', 'token', 'wamp'],
    packages: [],
  },
  'component/registry': {
    folders: ['compile', 'gateway', 'replica', 'routes', 'spec', 'store'],
    packages: [],
  },
  'component/gateway': {
    folders: ['action', 'expression', 'routes', 'security', 'spec'],
    packages: [],
  },
  'component/compile': {
    folders: ['action', 'expression', 'gateway', 'routes', 'security', 'spec'],
    packages: [],
  },
  'component/routes': { folders: ['spec'], packages: [] },
  'component/security': {
    folders: ['oidc', 'realm', 'realm/documents', 'token', 'wamp'],
    packages: ['lru-cache', 'rate-limiter-flexible'],
  },
  'component/oidc': {
    folders: ['realm', 'realm/documents', 'replica', 'token'],
    packages: ['openid-client'],
  },
  'component/token': { folders: ['replica', 'store'], packages: ['jose', 'lru-cache'] },
  'component/realm': { folders: ['realm/documents', 'replica', 'wamp'], packages: [] },
  'component/realm/documents': { folders: ['expression', 'realm', 'wamp'], packages: [] },
  'component/action': { folders: ['wamp'], packages: ['undici'] },
  'component/sync': { folders: ['replica', 'wamp'], packages: [] },
  'component/spec': { folders: ['expression'], packages: [] },
  'component/wamp': {
    folders: [],
    packages: ['autobahn', 'wampy', 'ws', '@msgpack/msgpack', 'cbor-x'],
  },
  'component/router/limits': { folders: [], packages: ['ws'] },
  'component/router': {
    folders: ['router/limits', 'wamp'],
    packages: ['ws', '@msgpack/msgpack', 'cbor-x'],
  },
  'component/store': { folders: ['replica'], packages: ['kysely', 'pg'] },
  'component/syntax': { folders: [], packages: [] },
  'component/codec': { folders: [], packages: ['@msgpack/msgpack'] },
  'component/limits': { folders: [], packages: [] },
  'component/replica': { folders: [], packages: [] },
  'component/expression': { folders: [], packages: [] },
}

const root = dirname(dirname(import.meta.dirname))
const sources = ['component', 'http', 'procedures'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') || name.endsWith('.mjs'))
    .map((name) => `${folder}/${name}`),
)
const files = sources.filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))

const importsOf = (file: string): string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(
    ([, name]) => name ?? '',
  )

/** The package of a bare specifier: `@koa/router/x` is `@koa/router`. */
const packageOf = (name: string): string =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')

/** What is wrong with the imports of a file. */
function strangersOf(file: string): string[] {
  const folder = dirname(file)
  const rule = table[folder]
  if (!rule) return [`${file}: ${folder} is not in the table`]
  const strangers = importsOf(file).filter((name) => {
    if (name.startsWith('node:') || name.startsWith('./')) return false
    if (!name.startsWith('#')) return !rule.packages.includes(packageOf(name))
    const path = name.slice(1)
    if (words.includes(path) || groundFloor.includes(dirname(path)) || rule.folders === 'all')
      return false
    return !rule.folders.some((allowed) =>
      [allowed, `component/${allowed}`].includes(dirname(path)),
    )
  })
  return strangers.map((name) => `${file}: ${name}`)
}

/** Whether a file opens with a comment of a sentence: what it is for. */
function isIntroduced(file: string): boolean {
  const [, comment = ''] =
    /^\/\*\*([\s\S]*?)\*\//.exec(readFileSync(join(root, file), 'utf8')) ?? []
  return comment.replaceAll('*', '').trim().length > 20
}

describe('the source files', () => {
  it('import in one direction only', () => {
    expect(files.length).to.be.greaterThan(20)
    expect(files.flatMap(strangersOf)).to.deep.equal([])
  })

  it('say in their first sentence what they are for', () => {
    expect(sources.filter((file) => !isIntroduced(file))).to.deep.equal([])
  })
})
