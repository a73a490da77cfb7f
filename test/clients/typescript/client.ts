/** Calls every operation of the bookshop through types made of its description; prints what came back. */
import createClient from 'openapi-fetch'
import type { paths } from './v1.d.ts'
import type { paths as paths2 } from './v2.d.ts'

declare const process: { readonly argv: readonly string[] }

const url = process.argv[2] ?? ''
const v1 = createClient<paths>({ baseUrl: `${url}/v1` })
const v2 = createClient<paths2>({ baseUrl: `${url}/v2` })

const isbn = '9780000000001'
const page = await v1.GET('/books', { params: { query: { page: 2, limit: 2 } } })
const added = await v1.POST('/books', { body: { isbn, title: 'A Book', author: 'Somebody' } })
const book = await v1.GET('/books/{isbn}', { params: { path: { isbn } } })
const none = await v1.GET('/books/{isbn}', { params: { path: { isbn: '9780000000002' } } })
const titles = await v1.GET('/titles.txt', { parseAs: 'text' })
const me = await v1.GET('/staff/me', {
  headers: { authorization: `Basic ${btoa('ada:wonderland')}` },
})
const book2 = await v2.GET('/books/{isbn}', { params: { path: { isbn } } })

// the types know what is in an answer
const title: string | undefined = book.data?.title
const total: number | undefined = page.data?.total
const title2: string | undefined = book2.data?.data.title

console.log(
  JSON.stringify({
    page: { status: page.response.status, total },
    added: { status: added.response.status, location: added.response.headers.get('location') },
    book: { status: book.response.status, title },
    none: none.response.status,
    titles: titles.data?.split('\n').length,
    me: me.data,
    book2: { status: book2.response.status, title: title2 },
  }),
)
