/** docs/realm.md, printed from the rules that validate realm documents. */
import type { JsonSchema } from '#component/spec/rules.ts'
import { isMap } from '#component/syntax/values.ts'
import { realm } from './realm-rules.ts'

/** The schema of a map with known keys. */
interface Section extends JsonSchema {
  readonly title: string
  readonly properties: Readonly<Record<string, JsonSchema>>
}

const isSection = (schema: JsonSchema): schema is Section =>
  typeof schema.title === 'string' && isMap(schema.properties)

const schemasIn = (value: unknown): JsonSchema[] =>
  (Array.isArray(value) ? value : [value]).filter(isMap)

/** The schemas of the values that a schema allows. */
const alternatives = (schema: JsonSchema): JsonSchema[] =>
  schema.properties === undefined && schema.anyOf !== undefined ? schemasIn(schema.anyOf) : [schema]

/** The maps with known keys that a schema holds, each once, outer ones first. */
function sectionsOf(schema: JsonSchema, found: Map<string, Section> = new Map()) {
  for (const one of alternatives(schema)) {
    if (isSection(one)) {
      if (found.has(one.title)) continue
      found.set(one.title, one)
    }
    const members = isMap(one.properties) ? Object.values(one.properties) : []
    for (const inner of [...members, one.items, one.additionalProperties].filter(isMap)) {
      sectionsOf(inner, found)
    }
  }
  return found
}

/** JSON in one line, with a blank after each comma and colon. */
const json = (value: unknown): string =>
  JSON.stringify(value, undefined, 1)
    .replaceAll(/\n\s*/g, ' ')
    .replaceAll(/([[{]) | (?=[\]}])/g, '$1')

const code = (value: unknown): string => `\`${json(value)}\``

const typeOfValue = (value: unknown): string => {
  if (Array.isArray(value)) return 'list'
  return isMap(value) ? 'map' : typeof value
}

/** `string`, `list of [user](#user)`, … */
function typeOf(schema: JsonSchema): string {
  const { type, items, examples } = schema
  if (Array.isArray(schema.enum)) return schema.enum.map(code).join(', ')
  if (schema.properties === undefined && Array.isArray(schema.anyOf)) {
    const types = alternatives(schema).map(typeOf)
    // texts with a meaning, and any other text
    return types.includes('string') ? types.filter(isPlain).join(' or ') : types.join(' or ')
  }
  if (isSection(schema)) return `[${schema.title}](#${schema.title.toLowerCase()})`
  if (isMap(schema.properties)) return 'map'
  if (type === 'array') return `list of ${isMap(items) ? typeOf(items) : 'anything'}`
  if (type === 'object') return 'map'
  if (typeof type === 'string') return type
  return Array.isArray(examples) ? typeOfValue(examples[0]) : 'anything'
}

const isPlain = (type: string): boolean => !type.startsWith('`')

const cell = (text: string): string => text.replaceAll('|', '\\|')

function rowOf(key: string, schema: JsonSchema, isRequired: boolean): string {
  const { default: fallback, examples, description } = schema
  const shown = [
    `\`${key}\``,
    typeOf(schema),
    isRequired ? 'required' : fallback === undefined ? '' : code(fallback),
    String(description ?? ''),
    Array.isArray(examples) ? examples.map(code).join(', ') : '',
  ]
  return `| ${shown.map(cell).join(' | ')} |`
}

function sectionText({ title, description, properties, required }: Section): string {
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  const rows = Object.entries(properties).map(([key, schema]) =>
    rowOf(key, schema, needed.includes(key)),
  )
  return `## ${title}

${String(description ?? '')}

| key | type | default | meaning | example |
|---|---|---|---|---|
${rows.join('\n')}
`
}

/** docs/realm.md, whole. */
export const realmPage = (): string => `# Realm documents

<!-- Printed from component/realm/documents/realm-docs.ts and the rules that validate, by \`npm run docs\`; a test fails when it is stale. -->

A realm document declares a WAMP realm: who may join it, and what they may do. It is one JSON or YAML file in \`realms\` of the
[configuration](configuration.md), or the body of \`POST /realms\`; a list of documents is allowed as well. [security](security.md) tells how users, tokens
and grants work together. \`npx wamp-gateway validate FILE\` checks a document, and \`npx wamp-gateway schema realm\` prints its JSON Schema for
[editors](editors.md).

\`\`\`json
{
  "uri": "com.example.books",
  "authmethods": ["anonymous", "wampcra", "password"],
  "groups": [{ "name": "backend" }, { "name": "staff" }],
  "users": [
    { "username": "shop", "password": "\${SHOP_PASSWORD}", "groups": ["backend"] },
    { "username": "ada", "password": "\${ADA_PASSWORD}", "groups": ["staff"], "meta": { "locale": "en" } }
  ],
  "sources": [
    { "usernames": ["shop"], "authmethod": "wampcra", "cidr": "127.0.0.0/8" },
    { "usernames": ["ada"], "authmethod": "password", "cidr": "0.0.0.0/0" },
    { "usernames": "all", "authmethod": "anonymous", "cidr": "0.0.0.0/0" }
  ],
  "grants": [
    { "permissions": ["wamp.register"], "roles": ["backend"], "uri": "com.example.", "match": "prefix" },
    { "permissions": ["wamp.call"], "roles": ["staff"], "uri": "com.example.", "match": "prefix" },
    { "permissions": ["wamp.call"], "roles": ["anonymous"], "uri": "com.example.books.list" }
  ]
}
\`\`\`

The backend \`shop\` registers procedures over WAMP, from this machine only. Ada calls them all, over HTTP with her password. Everybody may call
\`com.example.books.list\`.

- \`\${NAME}\` in any text is the value of an environment variable of the gateway. A load refuses a document with a variable that is not set.
- A load is refused as a whole, with every mistake and its place. Unknown keys are kept, and warned about.
- Secrets are stored hashed or sealed, and no response shows them ([what is stored](users.md#what-is-stored)).
- A document that \`GET /realms/:uri\` shows can be changed and loaded again. One user or one grant is set by one call, and every document has versions to
  go back to ([realms](operations.md#realms)).

${[...sectionsOf(realm.schema).values()].map(sectionText).join('\n')}`

if (import.meta.main) process.stdout.write(realmPage())
