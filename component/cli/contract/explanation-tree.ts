/** An explanation as a tree for people. */
import { stringifyJson } from '#component/codec/json.ts'
import type { ToldTool } from '#component/explain/called-tool.ts'
import type {
  ExplainedAction,
  ExplainedAnswer,
  ExplainedExpression,
  ExplainedRun,
  Explanation,
} from '#component/explain/explanation/explanation.ts'
import type { EvaluatedStep } from '#component/explain/recorder.ts'

/** Most characters of a value in a line; `--format json` has all. */
const longestValue = 200

interface Branch {
  readonly text: string
  readonly below?: readonly Branch[]
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : stringifyJson(value, Number.MAX_SAFE_INTEGER)
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text
}

/** Where a value is written. */
const written = (at: unknown): string => (typeof at === 'string' && at !== '' ? `  (${at})` : '')

/** The lines of a list of branches; the lines of a text stay together. */
function linesOf(branches: readonly Branch[], indent = ''): string[] {
  return branches.flatMap(({ text, below = [] }, index) => {
    const isLast = index === branches.length - 1
    const inner = `${indent}${isLast ? '   ' : '│  '}`
    const [first, ...more] = text.split('\n')
    const bar = below.length > 0 ? '│  ' : '   '
    return [
      `${indent}${isLast ? '└─ ' : '├─ '}${first}`,
      ...more.map((line) => `${inner}${bar}${line}`),
      ...linesOf(below, inner),
    ]
  })
}

const fields = (map: object, omitted: readonly string[] = []): Branch[] =>
  Object.entries(map)
    .filter(([key, value]) => !omitted.includes(key) && value !== undefined)
    .map(([key, value]) => ({ text: `${key}: ${shown(value)}` }))

const stepOf = (step: EvaluatedStep): Branch =>
  'read' in step
    ? { text: `${step.read} = ${shown(step.value)}` }
    : {
        text: `|> ${step.function}(${step.arguments.map(shown).join(', ')}) = ${shown(step.value)}`,
      }

function expressionOf({
  at,
  expression,
  stage,
  steps,
  value,
  failure,
}: ExplainedExpression): Branch {
  const constant = stage === 1 ? ', a constant' : ''
  const end = failure === undefined ? ` = ${shown(value)}${constant}` : ' fails'
  const below = steps.length > 1 || failure !== undefined ? steps.map(stepOf) : []
  return {
    text: `${expression}${end}${written(at)}`,
    below: failure === undefined ? below : [...below, { text: failure }],
  }
}

function actionOf(action: ExplainedAction): Branch {
  const { type, procedure, topic, uri, would_be_refused } = action
  const what = [type, procedure ?? topic ?? uri].filter((word) => word !== undefined).join(' ')
  const refusal = would_be_refused === null ? '' : `, refused: ${would_be_refused}`
  const told = ['type', 'procedure', 'topic', 'uri', 'would_be_refused']
  return { text: `action: ${what}${refusal}`, below: fields(action, told) }
}

/** Without the expression, which stands above. */
function problemLine({ status, code, message, at }: NonNullable<ExplainedRun['problem']>): string {
  const [sentence = ''] = message.split('\n', 1)
  return `problem: ${status} ${code}: ${sentence}${sentence.includes(String(at)) ? '' : written(at)}`
}

function runBranches({ expressions, action, response, problem, answer }: ExplainedRun): Branch[] {
  const actions = action === null ? [] : [action].flat()
  return [
    ...(expressions.length > 0
      ? [{ text: 'expressions', below: expressions.map(expressionOf) }]
      : []),
    ...actions.map((one) => actionOf(one as ExplainedAction)),
    ...(problem ? [{ text: problemLine(problem) }] : []),
    ...(response
      ? [
          {
            text: `response: ${response.status}${response.is_sample ? ', to a sample outcome' : ''}  (${response.from.status})`,
            below: [...fields(response.headers), ...contentOf(response)],
          },
        ]
      : []),
    ...(answer ? [answerBranch(answer)] : []),
  ]
}

function answerBranch({ is_sample, result, error, progress = [] }: ExplainedAnswer): Branch {
  const text = error ? `error: ${error.error_uri}` : 'result'
  const pieces = progress.map((piece) => ({ text: 'progress', below: fields(piece) }))
  return {
    text: `${text}${is_sample ? ', to a sample outcome' : ''}`,
    below: [...pieces, ...fields(error ?? result ?? {}, ['error_uri'])],
  }
}

/** The body, or the events of a stream. */
function contentOf(response: NonNullable<ExplainedRun['response']>): Branch[] {
  const { body, frames, is_cut, from } = response
  const cut = is_cut ? ', then the connection is cut' : ''
  if (frames === undefined) return [{ text: `body: ${shown(body)}${cut}  (${from.body})` }]
  const below = frames.map(({ id, event = 'event', data }) => ({
    text: `${id === undefined ? event : `${event} ${id}`}: ${shown(data)}`,
  }))
  return [{ text: `stream: ${frames.length} events${cut}  (${from.body})`, below }]
}

function matchedBranch({ matched, procedure }: Explanation): Branch {
  if (procedure === null) return { text: 'no procedure matches' }
  if (procedure !== undefined) {
    const { id, realm_uri, uri, match, path } = procedure
    return { text: `CALL ${uri} (${match}) of ${id}, realm ${realm_uri}${written(path)}` }
  }
  if (matched === null) return { text: 'no route matches' }
  const { id, version, host, pattern, path, method, bindings, endpoint, tool } = matched
  const isRun = tool === undefined ? ', which is not run' : ''
  const generated = endpoint === undefined ? '' : `, generated: ${endpoint}${isRun}`
  return {
    text: `${method.toUpperCase()} ${pattern} of ${id} ${version}, host ${host}${generated}${written(path)}`,
    below: tool === undefined ? fields(bindings) : [...fields(bindings), toolBranch(tool)],
  }
}

function toolBranch({ name, path, method, pattern, ...request }: ToldTool): Branch {
  return {
    text: `tool ${name}: ${method.toUpperCase()} ${pattern}${written(path)}`,
    below: fields(request),
  }
}

/** Whole lines. */
export function treeOf(explanation: Explanation): string {
  const { near_misses, checks, rules, outcomes, truncated } = explanation
  const set = Object.entries(rules).filter(([, { at }]) => at !== null)
  const runs = outcomes
    ? Object.entries(outcomes).map(([name, run]) => ({
        text: `outcome "${name}"`,
        below: runBranches(run),
      }))
    : runBranches(explanation)
  const listed = (text: string, below: readonly Branch[]): Branch[] =>
    below.length > 0 ? [{ text, below }] : []
  const branches = [
    matchedBranch(explanation),
    ...listed(
      'near misses',
      near_misses.map(({ id, pattern, why }) => ({
        text: id === null ? why : `${pattern} of ${id}: ${why}`,
      })),
    ),
    ...listed(
      'checks',
      checks.map(({ step, passed, ...facts }) => ({
        text: `${step}: ${passed ? 'passed' : 'failed'}${written('at' in facts && facts.at)}`,
        below: fields(facts, ['at']),
      })),
    ),
    ...listed(
      'rules',
      set.map(([name, { value, at }]) => ({ text: `${name}: ${shown(value)}${written(at)}` })),
    ),
    ...runs,
    ...(truncated ? [{ text: 'cut, because the whole is too large' }] : []),
  ]
  return `${linesOf(branches).join('\n')}\n`
}
