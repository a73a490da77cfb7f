/** The rules of tools for language models: `mcp` of a version, and `tool` of an operation. */
import { canonicalJson, pointer } from '#component/codec/json.ts'
import { fixedPath } from '#component/spec/publication-rules.ts'
import { schema } from '#component/spec/request-rules.ts'
import {
  boolean,
  described,
  integer,
  object,
  type Rule,
  rule,
  string,
  text,
} from '#component/spec/rules.ts'
import { isMap } from '#component/syntax/values.ts'

/** Bytes; what a client is shown of a result unless `max_result_bytes` says otherwise. */
export const defaultMaxResultBytes = 1_048_576

/** Characters of a text that is written for models. */
const mostWords = 4_096

/** Characters of the canonical text of a schema of a tool: it fills the context of a model. */
const mostCharacters = 65_536

const words = text(`a text of 1 to ${mostWords} characters`, (value) =>
  value.length >= 1 && value.length <= mostWords ? undefined : `it has ${value.length}`,
)

const name = text('a name of 1 to 64 letters, digits, "_", "." and "-"', (value) =>
  /^[A-Za-z0-9_.-]{1,64}$/.test(value)
    ? undefined
    : 'it is empty, too long or holds another character',
)

/** `mcp` of a version. */
export const mcp: Rule = described(
  object('a map with the path of an endpoint for language models', {
    keys: {
      path: described(fixedPath, 'Where the endpoint is served, below base_path.'),
      name: described(
        name,
        'How the server calls itself. Without the key: the id of the document.',
      ),
      instructions: described(words, 'What a model should know before it uses the tools.'),
      max_result_bytes: described(
        integer(1, Number.MAX_SAFE_INTEGER, ' of bytes'),
        'The longest result of a tool. A longer one is an error; nothing is cut.',
        { default: defaultMaxResultBytes },
      ),
    },
    required: { path: 'a fixed path such as "/mcp"' },
  }),
  'Serves the operations with the key tool to language models (Model Context Protocol).',
)

/** A JSON Schema that models read: of bounded length. */
const shown = (what: string): Rule =>
  described(
    rule(schema.schema, (value, path, report) => {
      schema(value, path, report)
      if (typeof value !== 'object' || canonicalJson(value).length <= mostCharacters) return
      report.issue(path, `the schema of a tool has at most ${mostCharacters} characters`)
    }),
    what,
  )

const anyInput = shown(
  'JSON Schema of the map of arguments. Without the key: the bindings of the path, as texts.',
)

const input: Rule = rule(
  { ...anyInput.schema, type: 'object', properties: { type: { const: 'object' } } },
  (value, path, report) => {
    anyInput(value, path, report)
    if (isMap(value) && value.type === 'object') return
    const at = isMap(value) ? pointer(path, 'type') : path
    report.issue(at, 'the arguments of a tool are a map: expected a schema with "type": "object"')
  },
)

/** `tool` of an operation. */
export const tool: Rule = described(
  object('a tool: {name, description, …}', {
    keys: {
      name: described(name, 'The name of the tool, once in a version.'),
      description: described(words, 'What the tool does: a model chooses by it.'),
      title: described(string, 'The name that people see. Without the key: summary.'),
      input,
      output: shown('JSON Schema of the result, for clients: it is not checked here.'),
      annotations: described(
        object('a map of hints', {
          keys: {
            readOnlyHint: boolean,
            destructiveHint: boolean,
            idempotentHint: boolean,
            openWorldHint: boolean,
          },
        }),
        'What a client may assume. Without a key: by the method.',
      ),
    },
    required: {
      name: 'the name of the tool',
      description: 'what the tool does: a model chooses by it',
    },
  }),
  'Makes the operation a tool for language models, where the version has the key mcp.',
)
