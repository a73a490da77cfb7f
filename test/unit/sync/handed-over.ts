/** Messages that are handed over as they are: sealing stands in for itself where it is not under test, and would take most of the time. */
import { nonceLength, type Sealing } from '#component/sync/sealing.ts'
import type { Fields } from '#component/sync/sync-messages.ts'

/** Of nodes in one process; others have nothing to open. */
export class HandedOver implements Sealing {
  readonly #messages = new Map<string, { readonly fields: Fields; readonly purpose: string }>()

  seal(fields: Fields, purpose: string): string {
    const sealed = String(this.#messages.size).padStart(nonceLength, '0')
    this.#messages.set(sealed, { fields, purpose })
    return sealed
  }

  open(sealed: string, purpose: string): unknown {
    const message = this.#messages.get(sealed)
    return message?.purpose === purpose ? message.fields : undefined
  }
}
