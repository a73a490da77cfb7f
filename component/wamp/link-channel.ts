/** A channel to the embedded router in this process: messages pass as they are, without socket and serialization. */
import { type Channel, checkMessage, ignore } from './channel.ts'
import type { Link, OpenLink, WampMessage } from './link.ts'

class LinkChannel implements Channel {
  onOpen = ignore
  onMessage: (message: WampMessage) => void = ignore
  onClose: (reason: string) => void = ignore
  readonly #link: Link
  readonly #maxBytes: number

  constructor(openLink: OpenLink, maxBytes: number) {
    this.#link = openLink()
    this.#maxBytes = maxBytes
    this.#link.onMessage = (message) => this.onMessage(message)
    this.#link.onClose = () => this.onClose('the router closed the link')
    queueMicrotask(() => this.onOpen())
  }

  send(message: WampMessage): void {
    // others may be reached over sockets: what they could not be sent is refused here
    checkMessage(message, this.#maxBytes)
    this.#link.send(message)
  }

  close(): void {
    this.#silence()
    this.#link.close(1000, '')
  }

  destroy(): void {
    this.close()
  }

  #silence(): void {
    this.onOpen = ignore
    this.onMessage = ignore
    this.onClose = ignore
  }
}

/** @param maxBytes largest message, by estimate */
export const linkChannel = (openLink: OpenLink, maxBytes: number) => (): Channel =>
  new LinkChannel(openLink, maxBytes)
