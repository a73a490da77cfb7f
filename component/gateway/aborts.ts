/** The callbacks of what is pending for a request, a call or a branch: each is called once, when that is given up. */
import type { ServiceError } from '#component/errors.ts'

type Callback = (reason?: ServiceError) => void

/** One object for each that can be given up. */
export class Aborts {
  #callbacks: Callback[] | undefined = []
  #reason: ServiceError | undefined

  /** Takes a callback; one that comes afterwards is called at once. */
  add(callback: Callback): void {
    if (this.#callbacks) this.#callbacks.push(callback)
    else callback(this.#reason)
  }

  /** @param reason why the gateway gives it up; absent: nobody waits for it any more */
  abort(reason?: ServiceError): void {
    const callbacks = this.#callbacks
    if (callbacks === undefined) return
    this.#callbacks = undefined
    this.#reason = reason
    for (const callback of callbacks) callback(reason)
  }
}
