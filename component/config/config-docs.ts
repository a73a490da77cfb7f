/** The options as text: docs/configuration.md and `--help` are printed from the schema. */
import { configSchema } from './config-schema.ts'

interface Option {
  readonly key: string
  readonly type: string
  readonly fallback: string
  readonly description: string
}

type Schema = {
  readonly type?: string
  readonly const?: unknown
  readonly default?: unknown
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly patternProperties?: Readonly<Record<string, Schema>>
}

function typeOf(schema: Schema): string {
  if ('const' in schema) return `\`${JSON.stringify(schema.const)}\``
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(', ')
  if (schema.type === 'array')
    return `list of ${schema.items ? typeOf(schema.items).replace(', ', ' or ') : 'anything'}`
  if (schema.patternProperties) return 'map'
  return schema.type === 'object' ? 'map' : (schema.type ?? 'anything')
}

/** Sections are walked; a map with members of its own (such as `gateway.tls`) is shown with them. */
function* options(schema: Schema, prefix = ''): Generator<Option> {
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const key = prefix + name
    if (member.properties) {
      yield* options(member, `${key}.`)
      continue
    }
    const fallback = member.default === undefined ? '' : `\`${JSON.stringify(member.default)}\``
    yield { key, type: typeOf(member), fallback, description: member.description ?? '' }
  }
}

/** docs/configuration.md, whole. */
export function configurationPage(): string {
  const cell = (text: string) => text.replaceAll('|', '\\|')
  const rows = [...options(configSchema as Schema)].map(
    ({ key, type, fallback, description }) =>
      `| \`${key}\` | ${cell(type)} | ${cell(fallback)} | ${cell(description)} |`,
  )
  return `# Configuration

<!-- Printed from component/config/config-schema.ts by \`npm run docs\`; a test fails when it is stale. -->

The configuration is one file, YAML or JSON: \`npm start -- --config FILE\`. The environment overrides the file: \`GATEWAY_A__B=value\`
sets \`a.b\`. Two underscores go one level down, and values are read as YAML, so \`true\`, \`5000\` and \`[a, b]\` have their YAML types.
Flags override both: \`--set a.b=value\`. An unknown option is refused by name, and the gateway does not start. The variables that
Kubernetes sets for Services named \`gateway\` or \`gateway-…\` (\`GATEWAY_SERVICE_HOST\`, \`GATEWAY_PORT=tcp://…\`) are ignored. The effective
configuration is logged at start with secrets masked; on a terminal, only the options that differ from their defaults. Durations are milliseconds unless the description says otherwise.

| option | type | default | meaning |
|---|---|---|---|
${rows.join('\n')}

## Example

\`\`\`yaml
data_dir: /var/lib/wamp-gateway
gateway:
  listen: 0.0.0.0:8080
  trusted_proxies: [10.0.0.0/8]
  drain_delay: 10000
wamp:
  url: ws://router.internal:8080/ws
  realm: service.gateway
  auth: { authmethod: ticket, authid: gateway, secret: { file: /run/secrets/ticket } }
cluster:
  key: { file: /run/secrets/cluster-key }
specs: [/etc/wamp-gateway/specs/*.json]
realms: [/etc/wamp-gateway/realms.json]
\`\`\`
`
}

/** The options as plain text, one a line. */
export const optionsHelp = (): string =>
  [...options(configSchema as Schema)]
    .map(({ key, fallback }) => `  ${key}${fallback && ` = ${fallback.slice(1, -1)}`}`)
    .join('\n')

if (import.meta.main) process.stdout.write(configurationPage())
