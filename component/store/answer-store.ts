/** Answers that are kept under an Idempotency-Key: which request has the key, and what it was answered. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { KeyHold, KeyOwner, KeyRequest } from './key-owner.ts'
import { RowsQuery } from './rows-query.ts'
import type { AnswerRow, Run } from './tables.ts'
import { type BatchSize, WriteBatch } from './write-batch.ts'

type Row = Omit<AnswerRow, 'answer'>

/** What one request asks, with the row that it would insert. */
interface Asked {
  readonly request: KeyRequest
  readonly row: Row
}

/** A request that has ended. */
interface End {
  readonly hold: KeyHold
  readonly answer: string | null
}

/** Of the rows of one request that meet others' changes; then it is told that another one is under way. */
const maxTries = 3

/** Keys that one statement gives back: the event loop must go on. */
const maxStaleRemoved = 100

/** Expired rows that one statement removes. */
const maxRemoved = 1_000

/** Keys whose requests did nothing that could not be removed at once; more are left to their end. */
const maxStale = 10_000

/** Where the time is that of the database server, the clocks of gateways may differ. Milliseconds since the epoch. */
export type StoreTime = () => number

/**
 * The table of kept answers. Of several requests for one key, in any processes, one takes it: the primary key decides. Methods throw
 * ServiceError `service.error.unavailable`.
 */
export class AnswerStore {
  readonly #run: Run
  readonly #now: StoreTime
  readonly #takeRows = new RowsQuery<Row>((db, rows) =>
    db
      .insertInto('idempotent_answers')
      .values(rows)
      .onConflict((conflict) => conflict.column('scope_hash').doNothing()),
  )
  readonly #endRows = new RowsQuery<KeyHold & Pick<End, 'answer'>>((db, rows) => {
    const values = rows.map(({ scope, token, answer }) => sql`(${scope}, ${token}, ${answer})`)
    const query = sql`with ended (scope, token, answer) as (values ${sql.join(values)})
      update idempotent_answers set state = 'done', answer = ended.answer, bytes = coalesce(length(ended.answer), 0)
      from ended
      where scope_hash = ended.scope and idempotent_answers.token = ended.token`
    return { compile: () => query.compile(db) }
  })
  readonly #takes: WriteBatch<Asked, KeyOwner | undefined>
  readonly #ends: WriteBatch<End, undefined>
  readonly #stale: KeyHold[] = []
  /** What was there at the last {@link sweep}, and what this process has added since. */
  readonly held = { rows: 0, bytes: 0 }
  /** Begins the tokens of this process. */
  readonly #name = `${randomBytes(12).toString('base64url')}.`
  #tokens = 0

  constructor(run: Run, now: StoreTime, batch: BatchSize) {
    this.#run = run
    this.#now = now
    this.#takes = new WriteBatch((asked) => this.#takeAll(asked), batch)
    this.#ends = new WriteBatch((ends) => this.#endAll(ends), batch)
  }

  /** Takes a key that no request has, or whose time is over. */
  async take(request: KeyRequest): Promise<KeyOwner> {
    const { scope, fingerprint, leaseMs, keptMs, mayBegin = true } = request
    if (!mayBegin && (await this.#find([scope])).length === 0) return { kind: 'full' }
    for (let tries = 0; tries < maxTries; tries += 1) {
      const now = this.#now()
      this.#tokens += 1
      const token = `${this.#name}${this.#tokens.toString(36)}`
      const lease_until = now + leaseMs
      const expires_at = now + keptMs
      const row: Row = {
        ...{
          scope_hash: scope,
          fingerprint,
          state: 'running',
          token,
          bytes: 0,
          lease_until,
          expires_at,
        },
      }
      try {
        const owner = await this.#takes.add({ request, row })
        if (owner) return owner
      } catch (cause) {
        // it may have been inserted: nothing will be done under it
        this.#removeLater({ scope, token })
        throw cause
      }
    }
    return { kind: 'running' }
  }

  async #takeAll(asked: readonly Asked[]): Promise<(KeyOwner | undefined)[]> {
    // one order for all processes, so that none waits for another that waits for it
    const rows = asked.map(({ row }) => row).sort(byScope)
    const { numAffectedRows } = await this.#run((db) => this.#takeRows.execute(db, rows))
    const areAllTaken = Number(numAffectedRows) === rows.length
    const known = new Map<string, AnswerRow>()
    if (!areAllTaken) {
      const scopes = [...new Set(rows.map(({ scope_hash }) => scope_hash))]
      for (const row of await this.#find(scopes)) known.set(row.scope_hash, row)
    }
    const owners: (KeyOwner | undefined)[] = []
    for (const each of asked) {
      const { scope_hash: scope, token } = each.row
      const owner = known.get(scope)
      if (areAllTaken || owner?.token === token) {
        this.held.rows += 1
        owners.push({ kind: 'taken', hold: { scope, token } })
      } else owners.push(owner && (await this.#judge(each, owner)))
    }
    return owners
  }

  #find(scopes: readonly string[]): Promise<AnswerRow[]> {
    return this.#run((db) =>
      db.selectFrom('idempotent_answers').selectAll().where('scope_hash', 'in', scopes).execute(),
    )
  }

  /** undefined: the row has changed meanwhile. */
  async #judge(asked: Asked, owner: AnswerRow): Promise<KeyOwner | undefined> {
    const { request } = asked
    const now = this.#now()
    const isRunning = owner.state === 'running' && owner.lease_until > now
    if (!isRunning && owner.expires_at <= now) return this.#replace(asked, owner)
    if (owner.fingerprint !== request.fingerprint) return { kind: 'other' }
    if (isRunning) return { kind: 'running' }
    if (owner.state === 'running') {
      return request.takesUnknown ? this.#replace(asked, owner) : { kind: 'unknown' }
    }
    return owner.answer === null ? { kind: 'done' } : { kind: 'answered', answer: owner.answer }
  }

  /** Takes the key of a request that has ended, unless another one was faster. */
  async #replace({ row }: Asked, owner: AnswerRow): Promise<KeyOwner | undefined> {
    const { scope_hash: scope, token } = row
    const replaced = await this.#run((db) =>
      db
        .updateTable('idempotent_answers')
        .set({ ...row, answer: null })
        .where('scope_hash', '=', scope)
        .where('token', '=', owner.token)
        .where('lease_until', '=', owner.lease_until)
        .returning('token')
        .executeTakeFirst(),
    )
    return replaced && { kind: 'taken', hold: { scope, token } }
  }

  /**
   * Keeps the answer of a request that has taken its key. Nothing changes where another request has it by now.
   * @param answer undefined: that it was answered is kept, but not the answer
   */
  async keep(hold: KeyHold, answer: string | undefined): Promise<void> {
    await this.#ends.add({ hold, answer: answer ?? null })
  }

  async #endAll(ends: readonly End[]): Promise<undefined[]> {
    const rows = ends
      .map(({ hold: { scope, token }, answer }) => ({ scope, token, answer }))
      .sort((one, other) => (one.scope < other.scope ? -1 : 1))
    await this.#run((db) => this.#endRows.execute(db, rows))
    for (const { answer } of rows) this.held.bytes += answer?.length ?? 0
    return ends.map(() => undefined)
  }

  /** The request goes on. @param leaseMs from now; 0: it has ended, and its answer is not known */
  async renew({ scope, token }: KeyHold, leaseMs: number): Promise<void> {
    const lease_until = this.#now() + leaseMs
    await this.#run((db) =>
      db
        .updateTable('idempotent_answers')
        .set({ lease_until })
        .where('scope_hash', '=', scope)
        .where('token', '=', token)
        .where('state', '=', 'running')
        .execute(),
    )
  }

  /** Gives a key back: its request has done nothing. Where the store is away, later. */
  async release(hold: KeyHold): Promise<void> {
    try {
      await this.#remove([hold])
    } catch {
      this.#removeLater(hold)
    }
  }

  #removeLater(hold: KeyHold): void {
    if (this.#stale.length < maxStale) this.#stale.push(hold)
  }

  async #remove(holds: readonly KeyHold[]): Promise<void> {
    const these = holds.map(({ scope, token }) => sql`(${scope}, ${token})`)
    this.held.rows -= holds.length
    await this.#run((db) =>
      db
        .deleteFrom('idempotent_answers')
        .where(sql<boolean>`(scope_hash, token) in (values ${sql.join(these)})`)
        .execute(),
    )
  }

  /** Removes what has expired, and nothing else: what was promised is kept. Then looks how much there is. */
  async sweep(): Promise<void> {
    while (this.#stale.length > 0) {
      await this.#remove(this.#stale.slice(0, maxStaleRemoved))
      this.#stale.splice(0, maxStaleRemoved)
    }
    const now = this.#now()
    let removed: number
    do {
      removed = await this.#removeSome(now, maxRemoved)
    } while (removed === maxRemoved)
    const { rows, bytes } = await this.#run((db) =>
      db
        .selectFrom('idempotent_answers')
        .select((row) => [
          row.fn.countAll<number>().as('rows'),
          sql<number>`coalesce(sum(bytes), 0)`.as('bytes'),
        ])
        .executeTakeFirstOrThrow(),
    )
    Object.assign(this.held, { rows: Number(rows), bytes: Number(bytes) })
  }

  /** @returns how many it were */
  async #removeSome(expiredAt: number, most: number): Promise<number> {
    const gone = await this.#run((db) =>
      db
        .deleteFrom('idempotent_answers')
        .where('scope_hash', 'in', (query) => {
          return query
            .selectFrom('idempotent_answers')
            .select('scope_hash')
            .where('expires_at', '<=', expiredAt)
            .where((row) =>
              row.or([row('state', '=', 'done'), row('lease_until', '<=', expiredAt)]),
            )
            .orderBy('expires_at')
            .limit(most)
        })
        .returning('scope_hash')
        .execute(),
    )
    // a database in this process answers at once: requests get their turn
    await new Promise<void>((resolve) => setImmediate(resolve))
    return gone.length
  }
}

const byScope = (one: Row, other: Row): number => (one.scope_hash < other.scope_hash ? -1 : 1)
