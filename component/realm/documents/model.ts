/** What a realm document says, made ready to be asked: inherited, environment filled in, groups resolved. */
import type { Match } from '#component/syntax/wamp-uri.ts'
import type { StoredPassword } from './password.ts'

/** A realm document as its author wrote it; in the store passwords are replaced. */
export type RealmDocument = Readonly<Record<string, unknown>>

/** A user by name. */
export interface UserName {
  readonly realm_uri: string
  readonly authid: string
}

/** A user that can log in. */
export interface User {
  readonly username: string
  /** Direct and nested ones. */
  readonly groups: readonly string[]
  readonly meta: Readonly<Record<string, unknown>>
  readonly password: StoredPassword | undefined
  /** Ed25519 public keys, lower-case hex. */
  readonly authorized_keys: readonly string[]
}

/** Who may use a method, from where. */
export interface Source {
  readonly usernames: 'all' | readonly string[]
  readonly authmethod: string
  isFrom(address: string): boolean
}

/** What a grant is about. */
export interface Resource {
  readonly uri: string
  readonly match: Match
}

/** What roles may do. */
export interface Grant {
  /** Groups, users, `anonymous` or `all`. */
  readonly roles: ReadonlySet<string>
  /** `wamp.call`, … */
  readonly permissions: ReadonlySet<string>
  readonly resources: readonly Resource[]
}

/** A realm. */
export interface Realm {
  readonly uri: string
  readonly authmethods: readonly string[]
  readonly allow_connections: boolean
  /** Whether other realms inherit from it; a prototype accepts no sessions. */
  readonly isPrototype: boolean
  /** Those that are enabled. */
  readonly users: ReadonlyMap<string, User>
  /** The names of the others. */
  readonly disabled: ReadonlySet<string>
  /** undefined: the realm declares none, so every method is open to everybody from everywhere. */
  readonly sources: readonly Source[] | undefined
  /**
   * Whether everything is allowed whatever the grants say, reserved URIs apart: the realm declares no grants, or
   * `security_enabled: false`.
   */
  readonly isUnrestricted: boolean
  readonly grants: readonly Grant[]
  readonly info: Readonly<Record<string, unknown>>
}
