/** The configuration: a file, overridden by the environment, overridden by flags; validated, completed and frozen. */

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ErrorObject } from 'ajv/dist/2020.js'
import { parse } from 'yaml'
import { proxyProblem } from '#component/action/connections/egress.ts'
import { pointer } from '#component/codec/json.ts'
import { type Issue, messageOf } from '#component/errors.ts'
import { didYouMean } from '#component/expression/suggest.ts'
import { isBasicName } from '#component/syntax/basic-authorization.ts'
import { isMap } from '#component/syntax/values.ts'
import { rawSocketAddress, routerUrlsProblem } from '#component/wamp/routers/router-url.ts'
import { check } from './config-check.ts'
import { configSchema } from './config-schema.ts'
import type { Allowed } from './json-schema.ts'
import { tlsProblem } from './tls-files.ts'

/** Every option with its value. Durations are milliseconds unless the schema says otherwise. */
export type Config = Allowed<typeof configSchema>

/** A configuration that cannot be used; the message names each wrong key. */
export class ConfigError extends Error {
  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('\n'), options)
    this.name = 'ConfigError'
  }
}

type Json = Record<string, unknown>

const prefix = 'GATEWAY_'

/**
 * Whether Kubernetes sets the variable in each container, for a Service whose name is `gateway` or begins with `gateway-`.
 * `GATEWAY_PORT=8080` is not of them: the start refuses it as an unknown option.
 */
const isOfService = (name: string, value: string): boolean =>
  /_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/.test(
    name,
  ) ||
  (name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value))

/** The variables of an environment that set options: name and value. */
export const optionVariables = (
  environment: Readonly<Record<string, string | undefined>>,
): (readonly [name: string, value: string])[] =>
  Object.entries(environment).flatMap(([name, value]) =>
    name.startsWith(prefix) && value !== undefined && !isOfService(name, value)
      ? [[name, value] as const]
      : [],
  )

/** The option that a variable sets, key by key. @param variable one of {@link optionVariables} */
export const keysOf = (variable: string): string[] =>
  variable.slice(prefix.length).toLowerCase().split('__')

/**
 * Reads the configuration.
 * @param file path of a YAML or JSON file, if any
 * @param environment `GATEWAY_A__B=value` sets `a.b`; values are read as YAML (`true`, `5`, `[a, b]`)
 * @param flags dotted keys set on the command line
 * @throws ConfigError
 */
export function readConfig(
  file: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Record<string, string>> = {},
): Config {
  const raw = file === undefined ? {} : readFile(file)
  const variables = new Map<string, string>()
  for (const [name, value] of optionVariables(environment)) {
    const keys = keysOf(name)
    variables.set(keys.join('.'), name)
    set(raw, keys, value)
  }
  for (const [key, value] of Object.entries(flags)) set(raw, key.split('.'), value)
  return complete(raw, variables)
}

/**
 * The configuration of options that a program gives, without environment and flags.
 * @throws ConfigError
 */
export const configOf = (options: object): Config =>
  complete(structuredClone(options) as Json, new Map())

/** Validates options, adds the defaults to them, and reads the secrets that are in files. */
function complete(raw: Json, variables: ReadonlyMap<string, string>): Config {
  if (!check(raw)) throw new ConfigError(describe(issuesOf(check.errors ?? []), variables))
  const config = freeze(resolveSecrets(raw)) as Config
  const problem = tlsProblem(config.gateway.tls)
  if (problem !== undefined) throw new ConfigError([`option "gateway.tls": ${problem}`])
  checkDashboard(config.admin)
  checkRouters(config)
  checkEgress(config.egress)
  checkIdentity(config.wamp)
  return config
}

/** The URLs of `wamp.url`; undefined for the embedded router. */
export const routerUrls = ({
  wamp: { url },
}: Config): readonly [string, ...string[]] | undefined =>
  url === undefined ? undefined : ([url].flat() as [string, ...string[]])

/** The URLs of `router.rawsocket`. */
export const rawSocketUrls = ({ router: { rawsocket = [] } }: Config): readonly string[] =>
  [rawsocket].flat()

function checkRawSocket(config: Config): void {
  const urls = rawSocketUrls(config)
  for (const [index, url] of urls.entries()) {
    const address = rawSocketAddress(url)
    const isRight = address && ('path' in address || !address.isSecure)
    if (isRight && urls.indexOf(url) === index) continue
    const place = Array.isArray(config.router.rawsocket) ? `.${index}` : ''
    const found = isRight
      ? 'stands in the list before'
      : 'must be rs://host:port, or unix: and an absolute path of at most 107 bytes; over TLS a proxy speaks it, or /ws'
    throw new ConfigError([`option "router.rawsocket${place}": ${found}`])
  }
}

function checkRouters(config: Config): void {
  const urls = routerUrls(config)
  if (urls === undefined) {
    checkRawSocket(config)
    return
  }
  const found = routerUrlsProblem(urls)
  if (found !== undefined) {
    const place = Array.isArray(config.wamp.url) ? `.${found.index}` : ''
    throw new ConfigError([`option "wamp.url${place}": ${found.problem}`])
  }
  const own = (['listen', 'rawsocket'] as const).filter((key) => config.router[key] !== undefined)
  if (own.length === 0) return
  throw new ConfigError(
    own.map(
      (key) =>
        `option "router.${key}": cannot be combined with wamp.url, which replaces the embedded router`,
    ),
  )
}

/** The console reads the URL, to add its parameters. */
function checkDashboard({ grafana }: Config['admin']): void {
  if (grafana === undefined || URL.canParse(grafana)) return
  throw new ConfigError(['option "admin.grafana": its host or its port is not one of a URL'])
}

/** A proxy that cannot be used is not left out: what must not leave directly would. No value is quoted: it may hold a password. */
function checkEgress({ proxy, proxy_username, proxy_password, proxy_ca }: Config['egress']): void {
  const found = proxy === undefined ? undefined : proxyProblem(proxy)
  const problems = [
    found && `option "egress.proxy": expected http://host[:port] or https://host[:port]: ${found}`,
    proxy === undefined && proxy_username !== undefined && needed('proxy_username', 'proxy'),
    proxy_username === undefined &&
      proxy_password !== undefined &&
      needed('proxy_password', 'proxy_username'),
    proxy_password === undefined &&
      proxy_username !== undefined &&
      needed('proxy_username', 'proxy_password'),
    !isBasicName(proxy_username ?? '') &&
      'option "egress.proxy_username": a colon and control characters are not allowed',
    proxy_ca !== undefined &&
      !String(proxy_ca).includes('BEGIN CERTIFICATE') &&
      'option "egress.proxy_ca": expected certificates in PEM',
  ].filter((one) => typeof one === 'string')
  if (problems.length > 0) throw new ConfigError(problems)
}

const needed = (option: string, other: string): string =>
  `option "egress.${option}": egress.${other} is missing`

/** A router of its own must know the gateway that names users to it. */
function checkIdentity({ url, auth, identity }: Config['wamp']): void {
  if (identity !== 'forwarded' || url === undefined || auth !== undefined) return
  throw new ConfigError([
    'option "wamp.identity": "forwarded" needs wamp.auth with wamp.url: the router must know the gateway, which names users to it (docs/crossbar.md)',
  ])
}

function readFile(file: string): Json {
  try {
    const value: unknown = parse(readFileSync(file, 'utf8')) ?? {}
    if (!isMap(value)) throw new TypeError('expected a map of options')
    return withoutSchema(value)
  } catch (cause) {
    throw new ConfigError([`configuration file ${file}: ${messageOf(cause)}`], { cause })
  }
}

/** The options without `$schema`, which only editors read. */
function withoutSchema(value: Json): Json {
  const { $schema: _, ...options } = value
  return options
}

function set(target: Json, keys: readonly string[], text: string): void {
  let map = target
  for (const key of keys.slice(0, -1)) {
    const next = map[key]
    if (isMap(next)) map = next
    else {
      const made: Json = {}
      map[key] = made
      map = made
    }
  }
  const last = keys.at(-1)
  if (last !== undefined) map[last] = takesText(keys, text) ? text : readValue(keys, text)
}

function readValue(keys: readonly string[], text: string): unknown {
  try {
    return parse(text)
  } catch (cause) {
    // the text itself may be a secret
    throw new ConfigError([`option "${keys.join('.')}": the value is not valid YAML`], { cause })
  }
}

/** The schema of an option or a section; undefined for what the schema does not name. */
function schemaAt(keys: readonly string[]): Json | undefined {
  let schema: unknown = configSchema
  for (const key of keys)
    schema = isMap(schema) && isMap(schema.properties) ? schema.properties[key] : undefined
  return isMap(schema) ? schema : undefined
}

/** The options of a section by their whole names. @param path of the section, a JSON Pointer */
function namesIn(path: string): readonly string[] {
  const properties = schemaAt(path.split('/').slice(1))?.properties
  return isMap(properties) ? Object.keys(properties).map((key) => nameOf(pointer(path, key))) : []
}

/**
 * Whether the value is plain text, so that `123`, `true`, `*` or `a #b` stays as typed. Secrets are: their file has its own key.
 * Of an option that may be a list, only a list and a quoted text are YAML.
 */
function takesText(keys: readonly string[], text: string): boolean {
  const schema = schemaAt(keys)
  if (schema === undefined) return false
  const branches = Array.isArray(schema.anyOf) ? schema.anyOf : [schema]
  const types = branches.map((branch: unknown) => (isMap(branch) ? branch.type : undefined))
  const [first, ...others] = types
  if (first !== 'string') return false
  const isYaml = others.includes('array') && /^\s*["'[-]/.test(text)
  return !isYaml && others.every((type) => type === 'object' || type === 'array')
}

/** What is wrong with a configuration as it stands in a file: `path` is a JSON Pointer into it. */
export function configIssues(value: unknown): readonly Issue[] {
  if (!isMap(value)) return [{ path: '', message: 'expected a map of options' }]
  // the check fills in defaults
  check(structuredClone(withoutSchema(value)))
  return issuesOf(check.errors ?? [])
}

/** One sentence a problem; a union has one sentence for all branches. */
function issuesOf(errors: readonly ErrorObject[]): readonly Issue[] {
  const issues = new Map<string, string>()
  for (const error of errors) {
    const { instancePath: path, keyword } = error
    if (keyword === 'additionalProperties') {
      const unknown = pointer(path, String(error.params.additionalProperty))
      issues.set(
        unknown,
        `unknown option "${nameOf(unknown)}"${didYouMean(nameOf(unknown), namesIn(path), [])}`,
      )
    } else if (keyword === 'anyOf') {
      issues.set(path, `option "${nameOf(path)}": ${allowed(error)}`)
    } else if (!error.schemaPath.includes('/anyOf/') && !issues.has(path)) {
      issues.set(path, `option "${nameOf(path)}": ${error.message ?? 'is invalid'}`)
    }
  }
  return [...issues].map(([path, message]) => ({ path, message }))
}

const nameOf = (path: string): string => path.slice(1).replaceAll('/', '.')

/** @param variables which variable of the environment set an option */
const describe = (issues: readonly Issue[], variables: ReadonlyMap<string, string>): string[] =>
  issues.map(({ path, message }) => {
    const variable = variables.get(nameOf(path))
    return variable === undefined ? message : `${message} (set by ${variable})`
  })

function allowed(error: ErrorObject): string {
  let schema: unknown = configSchema
  for (const part of error.schemaPath.slice(2).split('/')) {
    const key = decodeURIComponent(part)
    if (key === 'anyOf' && isMap(schema) && schema.title) return `must be ${schema.title}`
    schema = Array.isArray(schema) ? schema[Number(key)] : isMap(schema) ? schema[key] : undefined
  }
  const branches = Array.isArray(schema) ? schema : []
  const words = branches.map((branch: unknown) => {
    if (!isMap(branch)) return 'something else'
    return 'const' in branch ? JSON.stringify(branch.const) : String(branch.type)
  })
  return `must be one of ${words.join(', ')}`
}

/** Replaces `{file: …}` with the content of the file. */
function resolveSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolveSecrets)
  if (!isMap(value)) return value
  const { file } = value
  if (typeof file === 'string' && Object.keys(value).length === 1) {
    try {
      return readFileSync(file, 'utf8').trim()
    } catch (cause) {
      throw new ConfigError([`secret file ${file} cannot be read`], { cause })
    }
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, resolveSecrets(member)]),
  )
}

function freeze(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) freeze(member)
    Object.freeze(value)
  }
  return value
}

/** Shortest `cluster.key` that cannot be guessed from a sealed message; characters. */
const leastKeyLength = 16

/**
 * The key by which gateways on one router know each other; random for the embedded router.
 * @throws ConfigError
 */
export function clusterKey({ cluster, wamp }: Config): string {
  const { key } = cluster
  if (key === undefined && wamp.url === undefined) return randomBytes(32).toString('hex')
  if (typeof key === 'string' && key.length >= leastKeyLength) return key
  const found = key === undefined ? 'required with wamp.url; ' : ''
  throw new ConfigError([
    `option "cluster.key": ${found}must have at least ${leastKeyLength} characters and be the same on all gateways of the router`,
  ])
}
