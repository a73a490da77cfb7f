/** `status`: whether the gateway is ready, and what its registry says. */
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { AdminClient, type Answer } from './admin-client.ts'
import { exitCode, type Run } from './command.ts'

/** `{ready, problems, registry}`. */
export const status: Run = async (invocation) => {
  const client = new AdminClient(invocation)
  const answer = await client.request('GET', '/ready', undefined, undefined, [503])
  const ready = answer.status === 200
  const problems = problemsOf(answer)
  const { body: registry } = await client.request('GET', '/registry')
  const lines = [ready ? 'ready' : 'not ready', ...problems.map((each) => `  ${each}`)]
  return {
    value: { ready, problems, registry },
    text: `${lines.join('\n')}\n${isMap(registry) ? summaryOf(registry) : ''}`,
    code: ready ? exitCode.ok : exitCode.findings,
  }
}

/** `/ready` answers 200 with a line for each problem, or 503 with an error. */
function problemsOf({ status: found, text, body }: Answer): readonly string[] {
  if (found !== 200) return [isMap(body) ? String(body.message) : text]
  return text.split('\n').slice(1).filter(Boolean)
}

const mapsOf = (value: unknown): readonly JsonMap[] =>
  Array.isArray(value) ? value.filter(isMap) : []

/** Characters; the longest label is `other node`. */
const labelWidth = 12

/** A row for each part of the node, a line for each thing that is wrong. Members that an older gateway does not tell are left out. */
function summaryOf(registry: JsonMap): string {
  const { node, version, digest, entries, router, store, clock } = registry
  const sessions = mapsOf(registry.router_sessions)
  const joined = sessions.filter(({ is_joined }) => is_joined === true).length
  const rows = [
    ['node', `${node}, version ${version}`],
    ['documents', `${entries}, digest ${String(digest).slice(0, 8)}`],
    ['router', `${router}, ${joined} of ${sessions.length} sessions`],
    ['store', String(store)],
    ['clock', String(clock)],
    ...mapsOf(registry.nodes).map((other) => ['other node', otherNode(other)]),
    ...upstreamRows(registry.upstreams),
    ...mapsOf(registry.conflicts).map(({ id, reason, other }) => [
      'not served',
      `${id}: ${reason}${other === undefined ? '' : ` by ${other}`}`,
    ]),
    ...mapsOf(registry.damaged).map((each) => [
      'damaged',
      `${each.kind} ${each.id}: ${each.reason}`,
    ]),
    ...mapsOf(registry.refused_files).map(({ file }) => ['refused', String(file)]),
  ]
  return rows.map(([name = '', told]) => `${name.padEnd(labelWidth)}${told}\n`).join('')
}

const otherNode = ({ node, version, heard_ms_ago, is_equal }: JsonMap): string =>
  `${node}, version ${version}, ${is_equal === true ? 'the same documents' : 'other documents'}, last message ${heard_ms_ago} ms ago`

function upstreamRows(upstreams: unknown): readonly (readonly string[])[] {
  if (!isMap(upstreams) || upstreams.count === 0 || !isMap(upstreams.targets)) return []
  const states = Object.entries(upstreams.targets).filter(([, count]) => count !== 0)
  const told = states.map(([state, count]) => `${count} ${state}`).join(', ')
  return [['upstreams', `${upstreams.count}, targets: ${told}`]]
}
