/** The API of docs/tutorial.md as the end of the page leaves it, behind a gateway of its own, with its backend. */
import type { JsonMap } from '#component/syntax/values.ts'
import { WampError } from '#component/wamp/session.ts'
import type { TestGateway } from '#test/support/gateway.ts'
import { bookshopDocument } from '#test/support/pages/bookshop.ts'
import { publish } from './published.ts'

const realm = 'com.example.books'

interface Book {
  readonly isbn: unknown
  readonly title: unknown
  readonly author?: unknown
}

/** What backend.js of the page does. */
function procedures() {
  const books: Book[] = [
    { isbn: '9780140449136', title: 'The Odyssey', author: 'Homer' },
    { isbn: '9780141439518', title: 'Pride and Prejudice', author: 'Jane Austen' },
    { isbn: '9780486280615', title: 'Walden', author: 'Henry David Thoreau' },
  ]
  const covers = new Map<unknown, unknown>()
  const answer = (value: unknown) => ({ args: [value], kwargs: {} })
  const notFound = (what: string, isbn: unknown) =>
    new WampError(`${realm}.error.not_found`, { args: [what], kwargs: { isbn } })
  return {
    [`${realm}.list`]: ({ kwargs: { limit = 2, offset = 0 } }: { readonly kwargs: JsonMap }) =>
      answer({
        books: books.slice(Number(offset), Number(offset) + Number(limit)),
        total: books.length,
      }),
    [`${realm}.get`]: ({ args: [isbn] }: { readonly args: readonly unknown[] }) => {
      const found = books.find((book) => book.isbn === isbn)
      if (found) return answer(found)
      throw notFound('there is no such book', isbn)
    },
    [`${realm}.cover`]: ({ kwargs: { isbn } }: { readonly kwargs: JsonMap }) => {
      const cover = covers.get(isbn)
      if (cover === undefined) throw notFound('the book has no cover', isbn)
      return answer(cover)
    },
    [`${realm}.set_cover`]: ({ args: [isbn, image] }: { readonly args: readonly unknown[] }) => {
      // an image without a byte is none
      if ((image as Uint8Array).length > 0) covers.set(isbn, image)
      return { args: [], kwargs: {} }
    },
    [`${realm}.add`]: ({ kwargs }: { readonly kwargs: JsonMap }) => {
      const { isbn, title, author } = kwargs
      books.push({ isbn, title, author })
      return answer({ isbn, title, author })
    },
    [`${realm}.titles`]: () => answer(books.map(({ title }) => `${String(title)}\n`).join('')),
  }
}

/** Starts the gateway with its router and the backend, and loads realm and API. */
export const openBookshop = (): Promise<TestGateway> =>
  publish({
    ...{ document: bookshopDocument(), realm_uri: realm, procedures: procedures() },
    users: [{ username: 'ada', password: 'wonderland', groups: ['staff'] }],
  })
