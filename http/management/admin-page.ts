/** `GET /` of the admin listener, for people with a browser: what this is, whether it is ready, what is loaded, and where the docs are. */

import { ServiceError } from '#component/errors.ts'
import type { Reply } from '#component/gateway/exchange.ts'
import { escaped, htmlReply, prefersPage } from '#component/gateway/html-page.ts'
import { ownPath } from '#component/metrics/place.ts'
import { methods } from '#component/request.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { version } from '#component/version.ts'
import { type Fallback, fail, type ListenerPorts } from '#http/gateway.ts'
import type { HttpExchange } from '#http/read-request.ts'
import { sendReply } from '#http/reply.ts'
import {
  type Management,
  type Procedure,
  pathOf,
  perform,
} from '#procedures/definition/procedure.ts'
import { type Admission, admit } from './access.ts'
import type { HealthPorts } from './admin.ts'

/** Where the page is. */
export const pagePath = '/'

/** The dependencies of the page. */
export interface PagePorts extends Admission, Pick<HealthPorts, 'isReady' | 'problems'> {
  readonly procedures: readonly Procedure[]
  readonly management: Management
}

/** Serves the page to a person who asks for `/`, and everything else by `next`. */
export const withAdminPage =
  (ports: PagePorts, listener: ListenerPorts, next: Fallback): Fallback =>
  (exchange) => {
    const { path, method } = exchange
    if (path !== pagePath || (method !== 'get' && method !== 'head') || !prefersPage(exchange)) {
      next(exchange)
      return
    }
    exchange.served = ownPath(pagePath)
    pageFor(exchange, ports).then(
      (reply) => sendReply(exchange, reply, listener.isClosing()),
      (error: unknown) => fail(exchange, error, listener),
    )
  }

/** The page for a caller who may read; for another one, the reason alone. */
async function pageFor(exchange: HttpExchange, ports: PagePorts): Promise<Reply> {
  try {
    return page(200, await stateFor(exchange, ports))
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    exchange.error = error.uri
    const refused = page(error.status, [`<p>${escaped(error.message)}</p>`])
    return { ...refused, headers: { ...refused.headers, ...error.headers }, error }
  }
}

async function stateFor(exchange: HttpExchange, ports: PagePorts): Promise<readonly string[]> {
  const { procedures, management } = ports
  const caller = await admit(exchange, ports)
  const list = async (uri: string): Promise<readonly JsonMap[]> => {
    const procedure = procedures.find((each) => each.uri === uri)
    const answer = procedure && (await perform(procedure, management, [], caller))
    return Array.isArray(answer?.value) ? answer.value.filter(isMap) : []
  }
  const specs = await list('service.list_api_specs')
  const realms = await list('service.list_realms')
  const problems = ports.problems()
  return [
    `<p>Version ${escaped(version())} on Node ${escaped(process.versions.node)}: <b>${ports.isReady() ? 'ready' : 'not ready'}</b>.</p>`,
    ...(problems.length > 0 ? [listOf(problems.map(escaped))] : []),
    '<h2>API Specifications</h2>',
    specs.length > 0
      ? tableOf(specs)
      : '<p>None. <code>wamp-gateway load FILE</code> loads one.</p>',
    '<h2>Realms</h2>',
    realms.length > 0
      ? listOf(realms.map(({ uri }) => linkTo(pathOf('realms', String(uri)), String(uri))))
      : '<p>None. The option <code>realms</code> names their files.</p>',
    '<h2>More</h2>',
    listOf(
      ['/ready', '/registry', '/metrics', '/api_specs', '/realms'].map((path) =>
        linkTo(path, path),
      ),
    ),
  ]
}

const linkTo = (path: string, text: string) => `<a href="${escaped(path)}">${escaped(text)}</a>`
const listOf = (items: readonly string[]) =>
  `<ul>${items.map((item) => `<li>${item}`).join('\n')}</ul>`

const columns = ['id', 'host', 'realm', 'versions', 'operations', 'loaded at']

/** A row for each document. */
function tableOf(specs: readonly JsonMap[]): string {
  const rows = specs.map(({ id, host, realm_uri, versions, ts }) => [
    linkTo(pathOf('api_specs', String(id)), String(id)),
    escaped(String(host ?? '')),
    escaped(String(realm_uri ?? '')),
    versionsOf(versions)
      .map(([name]) => escaped(name))
      .join(', '),
    String(versionsOf(versions).reduce((sum, [, each]) => sum + operationsOf(each), 0)),
    typeof ts === 'number' ? new Date(ts).toISOString() : '',
  ])
  const head = `<tr>${columns.map((column) => `<th>${column}`).join('')}`
  const lines = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}`).join('')}`)
  return `<table>${[head, ...lines].join('\n')}</table>`
}

const versionsOf = (versions: unknown) => Object.entries(isMap(versions) ? versions : {})

/** The methods of all paths of a version. */
function operationsOf(each: unknown): number {
  const paths = isMap(each) && isMap(each.paths) ? Object.values(each.paths) : []
  const counts = paths.map((path) => methods.filter((name) => isMap(path) && name in path).length)
  return counts.reduce((sum, count) => sum + count, 0)
}

const style = [
  'body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}',
  'table{border-collapse:collapse}th,td{text-align:left;padding:.2rem 1rem .2rem 0;vertical-align:top}',
].join('\n')

const docs: readonly (readonly [file: string, what: string])[] = [
  ['README.md', 'the tour'],
  ['docs/tutorial.md', 'an API step by step'],
  ['docs/specification.md', 'every field of an API Specification'],
  ['docs/configuration.md', 'every option'],
  ['docs/operations.md', 'management, health and logs'],
]

const page = (status: number, state: readonly string[]): Reply =>
  htmlReply(status, {
    title: 'wamp-gateway',
    style,
    body: [
      '<h1>wamp-gateway</h1>',
      '<p>An HTTP API gateway in front of a WAMP backend. This is its admin listener.</p>',
      ...state,
      '<h2>Docs</h2>',
      '<p>In the folder of the program, or in its repository:</p>',
      listOf(docs.map(([file, what]) => `<code>${file}</code>: ${what}`)),
      '<p><code>wamp-gateway --help</code> lists the commands.</p>',
    ],
  })
