/** What has been encoded once and never changes: thousands of operations have one of these, so it is small. */

/** The encodings of a value, by media type, of which there are few; whoever encodes it keeps them here. */
export class Encodings {
  #type: string | undefined
  #content: string | Uint8Array = ''
  #next: Encodings | undefined

  get(type: string): string | Uint8Array | undefined {
    return this.#type === type ? this.#content : this.#next?.get(type)
  }

  set(type: string, content: string | Uint8Array): void {
    if (this.#type === undefined) {
      this.#type = type
      this.#content = content
      return
    }
    this.#next ??= new Encodings()
    this.#next.set(type, content)
  }
}
