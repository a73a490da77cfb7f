/** Compiles the fields of an action that concern a stream, so that it is given only values that a document might hold. */
import type { Findings } from '#component/compile/fold-check.ts'
import { member } from '#component/expression/compile.ts'
import { deferred, type Node, runOf } from '#component/expression/nodes.ts'
import { unfit } from '#component/gateway/failure.ts'
import { checkField, type FieldName } from '#component/spec/fields.ts'
import { isMatch } from '#component/syntax/wamp-uri.ts'
import { topicPattern } from './topic-pattern.ts'

/** @param path JSON Pointer of the field */
type Compile = (
  node: Node,
  path: string,
  findings: Findings,
  around: { readonly action: Node },
) => Node

/** A value that is refused where a document would be refused for it: ExpressionError, owed to the request where all of it comes from there. */
function checked(name: FieldName, type: 'number' | 'string', wanted: string): Compile {
  return (node, path) => {
    if (node.kind === 'constant' || node.kind === 'broken') return node
    const run = runOf(node)
    return deferred(
      (context) => {
        const value = run(context)
        // a text with braces is data here: no rule may take it for an expression
        const isFit =
          typeof value === type && (type === 'string' || checkField(name, value, path).length === 0)
        if (isFit) return value
        throw unfit(node, path, wanted)
      },
      [node],
      { source: node },
    )
  }
}

/** A value that no request decides. */
const knownAtLoad =
  (name: string): Compile =>
  (node, path, { issues }) => {
    if (node.kind === 'constant' || node.kind === 'broken') return node
    const message = `${name} must be known when the specification is loaded: it may not depend on the request`
    issues.push({ path, message })
    return node
  }

const bounded = (name: FieldName): Compile =>
  checked(name, 'number', `an integer within the limits of ${name}`)

/** Fields of `wamp_subscribe`, by name; other fields are compiled like any value. */
export const subscribeFields: Readonly<Record<string, Compile>> = {
  topic(node, path, findings, { action }) {
    const match = member(action, 'match')
    const value = match?.kind === 'constant' ? match.value : 'exact'
    return topicPattern(node, isMatch(value) ? value : 'exact', path, findings)
  },
  ...Object.fromEntries(
    [
      ...['match', 'as', 'replay_events', 'replay_timeout'],
      ...['heartbeat', 'retry', 'overflow', 'max_streams'],
    ].map((name) => [name, knownAtLoad(name)]),
  ),
  resume_from: checked('resume_from', 'string', 'a text'),
  max_events: bounded('max_events'),
  max_duration: bounded('max_duration'),
}

/** Fields of `wamp_call`, by name. */
export const callFields: Readonly<Record<string, Compile>> = {
  progress_timeout: bounded('progress_timeout'),
  max_duration: bounded('max_duration'),
}
