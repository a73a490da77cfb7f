/** Turns a document into an ApiSpec, or lists every issue with its JSON Pointer. */
import { entriesAt } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { invocationPolicies } from '#component/routes/procedure-place.ts'
import { type HostPattern, parseHostPattern } from '#component/syntax/host-pattern.ts'
import { isMap, type JsonMap, mapOrEmpty } from '#component/syntax/values.ts'
import { uriProblem } from '#component/syntax/wamp-uri.ts'
import { runAtOnce, type Steps } from '#component/yielding.ts'
import { deliveries, deliveryMatch, isDeliveryName } from './delivery-rules.ts'
import { checkDocument } from './document-limits.ts'
import { scopes } from './inheritable.ts'
import { level } from './levels.ts'
import type { ApiSpec } from './model.ts'
import { errorUris, procedureMatch, procedures } from './procedure-rules.ts'
import { describe, Report } from './report.ts'
import { schemas } from './request-rules.ts'
import { anything, map, mapOrExpression, rule, string, text } from './rules.ts'
import { idProblem } from './syntax.ts'
import { readVersions, versionsSchema } from './versions.ts'

/** The result of validation. */
export interface Validation {
  /**
   * Undefined when the document is not a map or too deep. Otherwise present in spite of issues, with broken members empty,
   * so that compiling finds further issues.
   */
  readonly spec: ApiSpec | undefined
  readonly issues: Issue[]
  /** Unknown keys, and values that are accepted but not served. */
  readonly warnings: Issue[]
}

const hostProblem = (host: string): string | undefined => {
  const parsed = parseHostPattern(host)
  return 'problem' in parsed ? parsed.problem : undefined
}

const idAllowed = 'an id of 1 to 255 letters, digits, ".", "_", ":", "-" and blanks inside'

const keys = {
  id: text(idAllowed, idProblem),
  name: string,
  host: text('a host pattern', hostProblem),
  realm_uri: text('a WAMP URI', uriProblem),
  meta: map,
  schemas,
  ...scopes,
  versions: rule(versionsSchema, () => {}), // read below
  procedures,
  deliveries,
  error_uris: errorUris,
  $schema: anything, // for editors
  ts: anything, // management answers carry it, and may be sent back; it is replaced
}

const required = {
  id: idAllowed,
  host: 'a host pattern such as "api.example.com", or "_" for any host',
  realm_uri: 'the URI of the realm that the API targets',
  versions: 'a map of labels to versions, or a list of versions',
}

const root = level('the API Specification', { keys, required })

const { host: _host, versions: _versions, ...requiredElsewhere } = required

/** Of a document that serves no requests. */
const rootWithoutRequests = level('the API Specification', { keys, required: requiredElsewhere })

/** The JSON Schema of API Specifications; a rule that stands twice is one object in it. */
export const specSchema = {
  ...rootWithoutRequests.schema,
  anyOf: [
    { required: ['host', 'versions'] },
    { required: ['procedures'] },
    { required: ['deliveries'] },
  ],
  dependentRequired: { versions: ['host'] },
}

const servesNothing = (document: JsonMap): boolean =>
  !('versions' in document) && ('procedures' in document || 'deliveries' in document)

/**
 * Validates shape, limits and patterns. Compiling checks expressions and clashes of routes; the registry checks the realm
 * and other documents.
 */
export const validateSpec = (document: unknown): Validation => runAtOnce(validation(document))

/** {@link validateSpec} in steps, about two for each path. */
export function* validation(document: unknown): Steps<Validation> {
  const report = new Report()
  const { issues, warnings } = report
  if (!isMap(document)) {
    // a lone text is not shown: it may be a token sent here by mistake
    const got = typeof document === 'string' ? 'a text' : describe(document)
    report.issue('', `the document must be an object, got ${got}`)
    return { spec: undefined, issues, warnings }
  }
  if (!(yield* checkDocument(document, report))) return { spec: undefined, issues, warnings }
  const check = servesNothing(document) ? rootWithoutRequests : root
  check(document, '', report)
  const versions = yield* readVersions(document.versions, hostForms(document.host), report)
  return { spec: assemble(document, versions), issues, warnings }
}

/** The number of forms of the host pattern; 1 where it is broken. */
function hostForms(host: unknown): number {
  const parsed: HostPattern | object = typeof host === 'string' ? parseHostPattern(host) : {}
  return 'forms' in parsed ? parsed.forms.length : 1
}

/** The ApiSpec of a document; a missing or malformed member, which has been reported, is empty. */
function assemble(document: JsonMap, versions: ApiSpec['versions']): ApiSpec {
  const { id, host, realm_uri, name, meta } = document
  return {
    id: textOrEmpty(id),
    ...(typeof name === 'string' && { name }),
    host: textOrEmpty(host),
    realm_uri: textOrEmpty(realm_uri),
    ...(isMap(meta) && { meta }),
    schemas: mapOrEmpty(document.schemas),
    variables: mapOrEmpty(document.variables),
    defaults: mapOrExpression(document.defaults),
    status_codes: mapOrEmpty(document.status_codes),
    versions,
    procedures: readProcedures(document.procedures),
    deliveries: readDeliveries(document.deliveries),
    error_uris: textsIn(document.error_uris),
  }
}

/** Those that are maps; broken members have their defaults. */
const readProcedures = (procedures: unknown): ApiSpec['procedures'] =>
  entriesAt(mapOrEmpty(procedures), '/procedures').flatMap(([uri, document, path]) => {
    if (!isMap(document)) return []
    const { invoke, pool_size, is_active } = document
    return [
      {
        ...{ uri, path, document },
        match: procedureMatch(document),
        invoke: invocationPolicies.find((one) => one === invoke) ?? 'roundrobin',
        pool_size: typeof pool_size === 'number' ? pool_size : 200,
        is_active: is_active !== false,
      },
    ]
  })

/** Those that are maps with a sound name; broken members have their defaults. */
const readDeliveries = (deliveries: unknown): ApiSpec['deliveries'] =>
  entriesAt(mapOrEmpty(deliveries), '/deliveries').flatMap(([name, document, path]) =>
    isMap(document) && isDeliveryName(name)
      ? [
          {
            name,
            path,
            document,
            match: deliveryMatch(document),
            is_active: document.is_active !== false,
          },
        ]
      : [],
  )

const textsIn = (map: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(mapOrEmpty(map)).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  )

const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '')
