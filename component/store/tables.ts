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

/** A ticket that ends when it is not used, or an API key. Times are seconds since the epoch. */
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

/** The states of {@link DeliveryRow}. */
export const rowStates = ['new', 'pending', 'held', 'done', 'dead'] as const

/** An event that was accepted for an endpoint. Times are milliseconds since the epoch. */
export interface DeliveryRow {
  /** Digest that names the delivery. */
  readonly delivery: string
  /** Of a user; empty: the one of the document. */
  readonly endpoint: string
  readonly webhook_id: string
  readonly publication: string
  readonly topic: string
  /** In the order of acceptance. */
  readonly seq: number
  /** Digest of the key of its order; null: it has none. */
  readonly key: string | null
  /** `new`: not seen by the owner. `pending`: due, or waits for its next attempt. `held`: behind another one of its key. */
  readonly state: (typeof rowStates)[number]
  /** Of the next attempt; of one that is over: when it is removed. */
  readonly due_at: number
  readonly attempts: number
  /** Until when an attempt may be under way. */
  readonly lease_until: number
  /** Of the owner that has claimed it; before that, a negative number that names the process that has accepted it. */
  readonly epoch: number
  /** Of the last answer. */
  readonly status: number | null
  /** Our sentence. */
  readonly error: string | null
  /** Why it is a dead letter. */
  readonly reason: string | null
  readonly accepted_at: number
  /** Of `sealed`. */
  readonly bytes: number
  /** The event. */
  readonly sealed: string
}

/** Which process accepts and sends the events of a realm. Times are milliseconds since the epoch. */
export interface DeliveryOwnerRow {
  readonly realm_uri: string
  readonly role: 'owner' | 'standby'
  /** The process, at random. */
  readonly holder: string
  readonly node: string
  /** One more with each process that takes it. */
  readonly epoch: number
  readonly lease_until: number
}

/** What is kept of a delivery beside its events. Times are milliseconds since the epoch. */
export interface DeliveryStateRow {
  /** Digest that names it. */
  readonly delivery: string
  readonly realm_uri: string
  readonly api_spec: string
  readonly name: string
  /** Of a user; empty: the one of the document. */
  readonly endpoint: string
  readonly state: 'active' | 'paused' | 'stopped'
  /** Why it is stopped. */
  readonly reason: string | null
  /** Since when each attempt has failed; null: the last one has not. */
  readonly failing_since: number | null
  /** Until when it is known to have heard every event; null: it does not listen. */
  readonly covered_until: number | null
  /** When a document had it last; null: not known. */
  readonly declared_at: number | null
}

/** A hole in the events of a delivery. Times are milliseconds since the epoch. */
export interface DeliveryGapRow {
  readonly delivery: string
  /** Names it; made at random. */
  readonly id: string
  readonly reason: string
  readonly since: number
  readonly until: number
  /** null: not known. */
  readonly count: number | null
  /** Of the message that tells it: when the next attempt is due; null: it is told, or never is. */
  readonly due_at: number | null
  readonly attempts: number
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
  deliveries: DeliveryRow
  delivery_owners: DeliveryOwnerRow
  delivery_states: DeliveryStateRow
  delivery_gaps: DeliveryGapRow
  meta: MetaRow
}

/** Runs one query, repeatedly after passing failures. When it resolves, its writes, and all that it may have read, are on the disk. */
export type Run = <T>(query: (db: Kysely<Tables>) => Promise<T>) => Promise<T>
