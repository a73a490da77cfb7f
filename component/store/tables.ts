/** The rows of the tables, and the way to query them. */
import type { Kysely } from 'kysely'
import type { Kind } from '#component/replica/entry.ts'

/** One version of one document. */
export interface VersionRow {
  kind: Kind
  id: string
  /** Its stamp. */
  ms: number
  counter: number
  node: string
  /** The stamp of the version before; null where there was none. */
  parent_ms: number | null
  parent_counter: number | null
  parent_node: string | null
  /** Stamps before that, newest first: JSON text of `[ms, counter, node]`s; null where they are not known. */
  ancestors: string | null
  /** SHA-256, hex, of the canonical JSON; null in a tombstone. */
  hash: string | null
  /** JSON text (of a realm: with passwords replaced by what checks them); null in a tombstone. */
  document: string | null
  /** Who has loaded or deleted it: a JSON string, since databases refuse some characters; null: not known. */
  author: string | null
}

/** The newest known version of a document. */
export interface EntryRow extends VersionRow {
  /** The revision of the store that brought it. */
  revision: number
}

/** One row: how many transactions have changed entries. A writer locks it first, so that transactions commit in its order. */
interface RevisionRow {
  value: number
}

/** The document that was last loaded from a file. */
interface FileRow {
  /** Absolute. */
  path: string
  /** SHA-256, hex, of the canonical JSON of its document. */
  hash: string
  /** When; milliseconds since the epoch. */
  ms: number
}

/** All refresh tokens that followed from one login: of each generation there is one. Times are milliseconds since the epoch. */
export interface FamilyRow {
  readonly id: string
  readonly realm_uri: string
  readonly authid: string
  readonly client_id: string
  readonly device_id: string
  /** JSON text of a list: the roles that were granted. */
  readonly scope: string
  readonly authmethod: string
  /** The generation of the newest token, the only one that can be used. */
  readonly generation: number
  readonly created_at: number
  /** When the newest token was made. */
  readonly rotated_at: number
  readonly expires_at: number
}

/** A request with an Idempotency-Key. Times are milliseconds since the epoch. */
export interface AnswerRow {
  /** A keyed digest of the key and its scope. */
  scope_hash: string
  /** A keyed digest of the request. */
  fingerprint: string
  state: 'running' | 'done'
  /** Of the request that has taken the key, at random. */
  token: string
  /** Sealed; null: there is none yet, or it is not kept. */
  answer: string | null
  /** Of the answer. */
  bytes: number
  /** Until when a running request is taken to be under way. */
  lease_until: number
  expires_at: number
}

/** What one gateway has used of one quota, for one sharer, in one window. Times are milliseconds since the epoch. */
export interface QuotaRow {
  /** Digest that names the quota. */
  readonly rule: string
  readonly window_start: number
  /** Digest that names the sharer. */
  readonly key: string
  /** The name of the gateway; its processes add to one row. */
  readonly node: string
  readonly window_end: number
  /** Who shares the quota; sealed. */
  readonly sharer: string
  readonly used: number
}

/** A login at an identity provider whose tokens are kept. Times are milliseconds since the epoch. */
export interface LoginRow {
  /** The id of its ticket. */
  readonly ticket: string
  /** Its tokens, and what the provider has said of its user; sealed. */
  readonly sealed: string
  /** When the user has logged in, as the ticket says. */
  readonly created_at: number
  /** When the provider was asked about it last, and has answered. */
  readonly checked_at: number
  /** Until when a process may be asking the provider; 0: none is. */
  readonly lease_until: number
  /** When the ticket ends. */
  readonly expires_at: number
  /** The ids of the revocations that end it: of its user, of its subject, and of its session at the provider; null: not known. */
  readonly user_id: string | null
  readonly subject_id: string | null
  readonly session_id: string | null
}

/** A ticket that ends when it is not used. Times are seconds since the epoch. */
interface TicketUseRow {
  /** Its id. */
  readonly ticket: string
  readonly used_at: number
  readonly exp: number
}

/** What routing has to know of an API Specification that was compiled. */
export interface SpecIndexRow {
  readonly id: string
  /** Of the document. */
  readonly hash: string
  /** The version of the gateway that has compiled it, and what else that depends on. */
  readonly maker: string
  /** JSON. */
  readonly text: string
}

/** A value of the store itself. */
interface MetaRow {
  name: string
  value: string
}

/** The tables. */
export interface Tables {
  entries: EntryRow
  /** The last versions of each API Specification, the one in `entries` among them. */
  versions: VersionRow
  revision: RevisionRow
  files: FileRow
  refresh_families: FamilyRow
  idempotent_answers: AnswerRow
  quota_usage: QuotaRow
  provider_logins: LoginRow
  ticket_uses: TicketUseRow
  spec_indexes: SpecIndexRow
  meta: MetaRow
}

/** Runs one query, repeatedly after passing failures. When it resolves, its writes, and all that it may have read, are on the disk. */
export type Run = <T>(query: (db: Kysely<Tables>) => Promise<T>) => Promise<T>
