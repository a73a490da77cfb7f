/** A realm as it is read from its document: with inherited keys, values of the environment, and groups resolved. */
import type { RealmPage } from '#component/realm-page.ts'
import type { Match } from '#component/syntax/wamp-uri.ts'
import type { StoredPassword } from './password.ts'

/** A realm document as its author wrote it; in the store passwords are replaced. */
export type RealmDocument = Readonly<Record<string, unknown>>

/** A user that can log in. */
export interface User {
  readonly username: string
  /** Direct and nested ones. */
  readonly groups: readonly string[]
  readonly meta: Readonly<Record<string, unknown>>
  /** Of an OAuth2 client: what its tokens may have at most; absent: everything. */
  readonly scopes?: ReadonlySet<string>
  readonly password: StoredPassword | undefined
  /** Ed25519 public keys, lower-case hex. */
  readonly authorized_keys: readonly string[]
}

/** The users who may log in by a method, and the addresses that they may come from. */
export interface Source {
  readonly usernames: 'all' | readonly string[]
  readonly authmethod: string
  isFrom(address: string): boolean
}

/** The URIs that a grant covers. */
export interface Resource {
  readonly uri: string
  readonly match: Match
}

/** The permissions of roles on resources. */
export interface Grant {
  /** Groups, users, `anonymous` or `all`. */
  readonly roles: ReadonlySet<string>
  /** `wamp.call`, … */
  readonly permissions: ReadonlySet<string>
  readonly resources: readonly Resource[]
}

/** A scope of access tokens. */
export interface Scope {
  /** A user with one of them holds the scope. */
  readonly roles: ReadonlySet<string>
  readonly description: string | undefined
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
  /** By name; none is the name of a role that a user of the realm has. */
  readonly scopes: ReadonlyMap<string, Scope>
  /** Whether people choose their identity provider on a page of the gateway. */
  readonly login_page: boolean
  /** What pages say of it. */
  readonly page: RealmPage
  readonly info: Readonly<Record<string, unknown>>
}
