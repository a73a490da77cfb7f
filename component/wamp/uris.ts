/** The topics that the gateway publishes and subscribes to, and the errors that it makes itself; procedures are named where they are defined. */

/** URIs by what they name. Errors with a status and a sentence stand in component/errors.ts as well. */
export const uris = {
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
