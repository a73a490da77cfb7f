/** Compiles the fields of an action that concern a stream, so that it is given only values that a document might hold. */
import type { FieldCompiler, FieldCompilers } from '#component/compile/field-compiler.ts'
import { deferred, runOf } from '#component/expression/nodes.ts'
import { unfit } from '#component/gateway/failure.ts'
import { Report } from '#component/spec/report.ts'
import { isMatch } from '#component/syntax/wamp-uri.ts'
import { topicPattern } from './topic-pattern.ts'

/** A value that is refused where a document would be refused for it: ExpressionError, owed to the request where all of it comes from there. */
function checked(type: 'number' | 'string', wantedOf: (name: string) => string): FieldCompiler {
  return (node, { name, path, kind }) => {
    if (node.kind === 'constant' || node.kind === 'broken') return node
    const run = runOf(node)
    const isAllowed = (value: unknown): boolean => {
      const report = new Report([])
      kind.shape.keys[name]?.(value, path, report)
      return report.issues.length === 0
    }
    return deferred(
      (context) => {
        const value = run(context)
        // a text with braces is data here: no rule may take it for an expression
        const isFit = typeof value === type && (type === 'string' || isAllowed(value))
        if (isFit) return value
        throw unfit(node, path, wantedOf(name))
      },
      [node],
      { source: node },
    )
  }
}

/** A value that no request decides. */
const knownAtLoad: FieldCompiler = (node, { name, path }, { issues }) => {
  if (node.kind === 'constant' || node.kind === 'broken') return node
  const message = `${name} must be known when the specification is loaded: it may not depend on the request`
  issues.push({ path, message })
  return node
}

/** Those of streams. */
export const streamForms: FieldCompilers = {
  topic(node, { path, action }, findings) {
    const match = action.get('match')
    const value = match?.kind === 'constant' ? match.value : 'exact'
    return topicPattern(node, isMatch(value) ? value : 'exact', path, findings)
  },
  known: knownAtLoad,
  text: checked('string', () => 'a text'),
  number: checked('number', (name) => `an integer within the limits of ${name}`),
}
