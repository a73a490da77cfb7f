/** `status`: whether the gateway is ready, and what its registry says. */
import { isMap } from '#component/syntax/values.ts'
import { AdminClient, type Answer } from './admin-client.ts'
import { exitCode, type Run } from './command.ts'
import { pretty } from './format.ts'

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
    text: `${lines.join('\n')}\n${pretty(registry)}\n`,
    code: ready ? exitCode.ok : exitCode.findings,
  }
}

/** `/ready` answers 200 with a line for each problem, or 503 with an error. */
function problemsOf({ status: found, text, body }: Answer): readonly string[] {
  if (found !== 200) return [isMap(body) ? String(body.message) : text]
  return text.split('\n').slice(1).filter(Boolean)
}
