/** The table of kept logins in memory; what it promises is held by test/contract/store. */
import { ServiceError } from '#component/errors.ts'
import type { LoginStore } from '#component/store/login-store.ts'
import type { LoginRow } from '#component/store/tables.ts'

export class MemoryLogins
  implements Pick<LoginStore, 'keep' | 'find' | 'lease' | 'update' | 'remove' | 'removeEnded'>
{
  readonly rows = new Map<string, LoginRow>()
  isAway = false

  async keep(row: LoginRow): Promise<void> {
    this.#ask()
    if (!this.rows.has(row.ticket)) this.rows.set(row.ticket, row)
  }

  async find(ticket: string): Promise<LoginRow | undefined> {
    this.#ask()
    return this.rows.get(ticket)
  }

  async lease(ticket: string, checked_at: number, nowMs: number, lease_until: number) {
    const row = await this.find(ticket)
    const isFree = row?.checked_at === checked_at && row.lease_until <= nowMs
    if (row && isFree) this.rows.set(ticket, { ...row, lease_until })
    return isFree
  }

  async update(ticket: string, changes: Partial<LoginRow>): Promise<void> {
    const row = await this.find(ticket)
    if (row) this.rows.set(ticket, { ...row, ...changes })
  }

  async remove(ticket: string): Promise<void> {
    this.#ask()
    this.rows.delete(ticket)
  }

  async removeEnded(id: string, until: number): Promise<void> {
    this.#ask()
    for (const [ticket, { created_at, user_id, subject_id, session_id }] of this.rows) {
      const isMeant = [user_id, subject_id, session_id].includes(id)
      if (isMeant && created_at <= until) this.rows.delete(ticket)
    }
  }

  #ask(): void {
    if (this.isAway) throw new ServiceError('service.error.unavailable', 'the store is away')
  }
}
