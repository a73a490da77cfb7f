/** Two ends of a link within the process: messages pass as they are, in order, and never within the sender's own call. */
import type { Link, WampMessage } from '#component/wamp/link.ts'

interface Closing {
  readonly code: number
  readonly reason: string
}

/** One end. */
class End implements Link {
  onMessage: (message: WampMessage) => void = () => {}
  onClose: (code: number, reason: string) => void = () => {}
  /** Messages that this end has not received yet. */
  #inbox: (WampMessage | Closing)[] = []
  #isScheduled = false
  #isOpen = true
  #other: End | undefined

  connect(other: End): void {
    this.#other = other
  }

  unreadOf: (request: number) => number = () => 0

  onRead: (request: number, tell: () => void) => void = () => {}

  unread(request: number): number {
    return this.#other?.unreadOf(request) ?? 0
  }

  whenRead(request: number, tell: () => void): void {
    this.#other?.onRead(request, tell)
  }

  send(message: WampMessage): void {
    if (this.#isOpen) this.#other?.deliver(message)
  }

  /** Closes both ends, the other one after everything sent before is delivered. */
  close(code: number, reason: string): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#other?.deliver({ code, reason })
    this.deliver({ code, reason })
  }

  deliver(item: WampMessage | Closing): void {
    this.#inbox.push(item)
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() => this.#flush())
  }

  #flush(): void {
    const items = this.#inbox
    this.#inbox = []
    this.#isScheduled = false
    for (let index = 0; index < items.length; index++) {
      const item = items[index]
      if (item === undefined) continue
      try {
        this.#take(item)
      } catch (error) {
        // the rest is delivered all the same, before anything that was sent meanwhile
        this.#inbox = [...items.slice(index + 1), ...this.#inbox]
        this.#isScheduled = true
        queueMicrotask(() => this.#flush())
        throw error
      }
    }
  }

  #take(item: WampMessage | Closing): void {
    if ('code' in item) {
      this.#isOpen = false
      const { onClose } = this
      this.onClose = () => {} // when both ends close at a time
      onClose(item.code, item.reason)
    } else this.onMessage(item)
  }
}

/** A new link: its two ends. */
export function linkPair(): [Link, Link] {
  const client = new End()
  const router = new End()
  client.connect(router)
  router.connect(client)
  return [client, router]
}
