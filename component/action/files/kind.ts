/** What an answer from a folder is: the row of `files`. */
import { actionKind } from '#component/action/kind.ts'
import { dynamic, type Rule, rule, string, text } from '#component/spec/rules.ts'
import { fieldValueProblem } from '#component/syntax/http-field.ts'
import { isMap } from '#component/syntax/values.ts'

/** The name of a root, as the configuration has it. */
const rootName = text('the name of a root in files.roots of the configuration', (name) =>
  /^[\w.-]{1,64}$/.test(name) ? undefined : 'it has 1 to 64 letters, digits, "-", "_" and "."',
)

const ofFile = text('the path of a file below the root', (path) =>
  path.split('/').some((piece) => piece === '' || piece === '.' || piece === '..')
    ? 'it has a piece that is empty, "." or ".."'
    : undefined,
)

/** Patterns of paths to values of `Cache-Control`. */
const cacheControl: Rule = rule(
  { type: 'object', additionalProperties: { type: 'string' } },
  (value, path, report) => {
    const problem = Object.values(isMap(value) ? value : { '*': value })
      .map((each) => (typeof each === 'string' ? fieldValueProblem(each) : 'it is no text'))
      .find((each) => each !== undefined)
    if (!isMap(value) || problem !== undefined) {
      report.expected(path, 'a map of patterns to values of Cache-Control', value)
    }
  },
)

/** Files of a folder of the configuration. */
export const files = actionKind({
  type: 'files',
  shape: {
    keys: {
      root: dynamic(rootName),
      path: dynamic(string),
      index: dynamic(ofFile),
      fallback: dynamic(ofFile),
      cache_control: dynamic(cacheControl),
    },
    required: { root: 'the name of a root in files.roots of the configuration' },
  },
  fields: {
    root: 'known',
    path: 'text',
    index: 'known',
    fallback: 'known',
    cache_control: 'known',
  },
  passesOn: true,
  serves: { rootField: 'root', pathField: 'path' },
  result: ['path', 'size'],
})
