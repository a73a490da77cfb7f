/** Every procedure, topic and error that we speak by name, and what a WAMP URI is. */

/** URIs by what they name. Errors with a status and a sentence stand in component/errors.ts as well. */
export const uris = {
  /** Procedures of management (behaviour: Management). */
  procedures: {
    loadApiSpec: 'service.load_api_spec',
    getApiSpec: 'service.get_api_spec',
    getApiSpecInfo: 'service.get_api_spec_info',
    listApiSpecs: 'service.list_api_specs',
    deleteApiSpec: 'service.delete_api_spec',
    validateApiSpec: 'service.validate_api_spec',
    listApiSpecVersions: 'service.list_api_spec_versions',
    rollbackApiSpec: 'service.rollback_api_spec',
    loadRealm: 'service.load_realm',
    getRealm: 'service.get_realm',
    listRealms: 'service.list_realms',
    registryStatus: 'service.registry_status',
  },
  /**
   * Topics on the component's realm: an API Specification was loaded, deleted, or lost against another version; a realm
   * was loaded or deleted; what a gateway says of itself, and of what only gateways know.
   */
  topics: {
    onLoad: 'service.api_spec.on_load',
    onDelete: 'service.api_spec.on_delete',
    onConflict: 'service.api_spec.on_conflict',
    onRealmLoad: 'service.realm.on_load',
    onRealmDelete: 'service.realm.on_delete',
    beat: 'service.registry.beat',
    change: 'service.registry.change',
  },
  /** Failures that are made on this side of the router. */
  errors: {
    netFailure: 'wamp.error.net_failure',
    timeout: 'service.error.timeout',
    canceled: 'wamp.error.canceled',
    invalidUri: 'wamp.error.invalid_uri',
    invalidArgument: 'wamp.error.invalid_argument',
    payloadSizeExceeded: 'wamp.error.payload_size_exceeded',
    internal: 'service.error.internal',
    notAuthorized: 'wamp.error.not_authorized',
    noSuchRealm: 'wamp.error.no_such_realm',
    authorizationFailed: 'wamp.error.authorization_failed',
  },
} as const

/** White space beyond U+0020 and controls, for JavaScript's and for Python's `\s`, from and to (both included). */
const wideSpaces: readonly (readonly [number, number])[] = [
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]

const dot = 0x2e
const hash = 0x23

function isForbidden(code: number): boolean {
  if (code <= 0x20 || code === hash) return true
  if (code < 0x7f) return false
  if (code <= 0xa0) return true
  if (code < 0x1680) return false
  return wideSpaces.some(([from, to]) => code >= from && code <= to)
}

/**
 * Is the text a WAMP URI in the loose sense: components without white space and `#`, joined by dots? Controls and halves of
 * a surrogate pair are refused as well: routers close the connection on a URI they cannot read (reliability F5).
 * @param mayBeEmpty lets components be empty, as the patterns of prefix and wildcard matching may be
 */
export function isWampUri(text: string, mayBeEmpty = false): boolean {
  let isEmpty = true
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === dot) {
      if (isEmpty && !mayBeEmpty) return false
      isEmpty = true
    } else if (isForbidden(code)) return false
    else isEmpty = false
  }
  return (!isEmpty || mayBeEmpty) && text.isWellFormed()
}
