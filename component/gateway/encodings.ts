/** Keeps the encodings of a value that never changes; small, because thousands of operations have one. */

/** The encodings of one value by media type: a linked list, because there are few. */
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
