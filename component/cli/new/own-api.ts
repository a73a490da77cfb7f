/** The files of an API of one's own: named after its folder, with a backend, for one router. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { examples, type Files } from './files.ts'
import { commandPackages, docsFrom, versionOf } from './packages.ts'

export const routers = ['embedded', 'crossbar'] as const
export const languages = ['js', 'python'] as const

/** The version that new folders are tested with. */
const crossbarPackage = 'crossbar==26.10.1'

/** The scripts of a `package.json`, by name. */
type Scripts = Readonly<Record<string, string>>

/**
 * The files, and the commands to type next.
 * @param folder as it is named on the command line: its last part is the name of the API
 */
export function filesOfOwnApi(
  folder: string,
  router: (typeof routers)[number],
  language: (typeof languages)[number],
): { readonly files: Files; readonly next: readonly string[] } {
  const name = basename(resolve(folder)).replaceAll(/[^\w .-]/g, '') || 'api'
  const uri = `com.example.${uriPartOf(name)}`
  const read = (file: string) =>
    readFileSync(join(examples, 'template', file), 'utf8')
      .replaceAll('com.example.my_api', uri)
      .replaceAll('my-api', name)
  const isCrossbar = router === 'crossbar'
  const isPython = language === 'python'
  const backend = isPython ? 'backend.py' : 'backend.js'
  const scripts = scriptsOf(isCrossbar, isPython)
  const files = new Map([
    ['api-spec.json', read('api-spec.json')],
    [backend, read(backend)],
    ['package.json', manifestOf(folder, scripts, isPython)],
    ['README.md', readmeOf({ name, uri, backend, isCrossbar, isPython, docs: docsFrom(folder) })],
    ['.gitignore', 'node_modules/\ndata/\n.venv/\ncluster-key\n'],
  ])
  if (isCrossbar) {
    files.set('gateway.yaml', read('crossbar/gateway.yaml'))
    files.set('crossbar/config.json', read('crossbar/config.json'))
    files.set('cluster-key', `${randomBytes(32).toString('hex')}\n`)
  } else {
    files.set('gateway.yaml', read('gateway.yaml'))
    files.set('realm.json', read('realm.json'))
  }
  const next = [...installation(isCrossbar, isPython), ...Object.keys(scripts).map(runOf)]
  return { files, next }
}

/** A part of a URI in the strict form of WAMP: lower-case letters, digits, `_`. */
const uriPartOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '') || 'api'

/** In the order in which they are started. */
const scriptsOf = (isCrossbar: boolean, isPython: boolean): Scripts => {
  const program = isPython ? '.venv/bin/python backend.py' : 'node backend.js'
  return {
    test: 'wamp-gateway test api-spec.json',
    ...(isCrossbar && { router: '.venv/bin/crossbar start --cbdir crossbar' }),
    start: 'wamp-gateway start --config gateway.yaml',
    backend: isCrossbar ? `${program} ws://127.0.0.1:8080/ws` : program,
  }
}

/** The command of a script; all but the tests run until they are stopped. */
function runOf(script: string): string {
  if (script === 'test') return 'npm test'
  return `npm ${script === 'start' ? script : `run ${script}`}   # in a terminal of its own`
}

function installation(isCrossbar: boolean, isPython: boolean): readonly string[] {
  const packages = [...(isCrossbar ? [crossbarPackage] : []), ...(isPython ? ['autobahn'] : [])]
  if (packages.length === 0) return ['npm install']
  return ['npm install', 'python3 -m venv .venv', `.venv/bin/pip install ${packages.join(' ')}`]
}

function manifestOf(folder: string, scripts: Scripts, isPython: boolean): string {
  const dependencies = {
    ...(!isPython && { autobahn: versionOf('autobahn') }),
    ...commandPackages(folder),
  }
  const manifest = { private: true, type: 'module', scripts, dependencies }
  return `${JSON.stringify(manifest, undefined, 2)}\n`
}

interface Told {
  readonly name: string
  readonly uri: string
  readonly backend: string
  readonly isCrossbar: boolean
  readonly isPython: boolean
  /** The path of the index of the documentation. */
  readonly docs: string
}

const block = (lines: readonly string[]): string => `\`\`\`sh\n${lines.join('\n')}\n\`\`\``

function readmeOf({ name, uri, backend, isCrossbar, isPython, docs }: Told): string {
  const place = isCrossbar ? 'ws://127.0.0.1:8080/ws' : 'ws://127.0.0.1:18080/ws'
  const terminals = isCrossbar
    ? [
        'npm run router    # Crossbar.io, by crossbar/config.json',
        'npm start         # the gateway',
      ]
    : ['npm start         # the gateway, with a router of its own']
  return `# ${name}

An HTTP API in front of a WAMP backend. [api-spec.json](api-spec.json) says which paths there are and what each one calls; [${backend}](${backend}) is the
backend, which joins the realm \`${uri}\` at \`${place}\`.

## Install

${block(installation(isCrossbar, isPython))}
${isPython || isCrossbar ? '\nPython may print a traceback about NumPy (`_ARRAY_API not found`) at a start. autobahn runs without NumPy, so it does not matter.\n' : ''}
## Run

Each command in a terminal of its own:

${block([...terminals, 'npm run backend   # the backend'])}

Then:

${block(['curl http://127.0.0.1:18080/v1/hello/Ada', 'curl http://127.0.0.1:18080/v1/hello/nobody   # the backend responds with an error, and status_codes makes it 404'])}

## Change it

- A path: add it to api-spec.json, with examples, and run \`npm test\`, which needs neither router nor backend. \`npx wamp-gateway load api-spec.json\` makes it
  live on the running gateway; so does \`kill -HUP\` of it.
- A procedure: register it in ${backend}, and call it by its URI.
- \`npx wamp-gateway explain /v1/hello/Ada\` tells what the running gateway does with a request, and why.
- The console is at http://127.0.0.1:18081/console/.
- The [documentation](${docs}) has an index by task: uploads, security, several nodes, and more.
${
  isCrossbar
    ? `
Everybody who reaches the port of this Crossbar.io may do everything, which is for one machine only. \`cluster-key\` is a secret: it is in no commit, and the same for
all gateways on the router.
`
    : `
The realm is open to everybody who can reach the router (\`realm.json\`), which listens on 127.0.0.1 only. Before others reach it, give it users and grants.
`
}`
}
