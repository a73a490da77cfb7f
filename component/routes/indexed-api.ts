/** An API that is routed by an index of its paths: what they do is compiled when a request asks for it. */

/** What those who follow the routing table find in the routes of an API. */
export interface ApiFacts {
  /** For whom routes use the session of the gateway itself: for everybody, or for users alone, as with `wamp.identity: service`. */
  readonly ownSession?: 'all' | 'users'
  /** Whether routes call or publish for users. */
  readonly sendsForUsers: boolean
  /** The base paths of its token endpoints, as written, each once. */
  readonly tokenBases: readonly string[]
}

/** An API whose routes may not be compiled. */
export interface IndexedApi {
  readonly facts: ApiFacts
  /** Whether its routes are there now. */
  readonly isCompiled: boolean
  /** Compiles its routes, in steps; undefined: they are there. @throws ServiceError `service.error.unavailable` where it is indexed again */
  compiling(): Promise<void> | undefined
}
