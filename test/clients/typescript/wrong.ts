/** Uses that a compiler must refuse: an expected error that does not come is an error itself. */
import createClient from 'openapi-fetch'
import type { paths } from './v1.d.ts'

const v1 = createClient<paths>({ baseUrl: '' })

/** Never called. */
export async function wrong(): Promise<void> {
  // @ts-expect-error there is no such path
  await v1.GET('/magazines')
  // @ts-expect-error there is no such method
  await v1.DELETE('/books/{isbn}', { params: { path: { isbn: '9780140449136' } } })
  // @ts-expect-error the path has a parameter
  await v1.GET('/books/{isbn}')
  // @ts-expect-error a limit is a number
  await v1.GET('/books', { params: { query: { limit: 'two' } } })
  // @ts-expect-error a title is a text
  await v1.POST('/books', { body: { isbn: '9780000000001', title: 7 } })
  // @ts-expect-error a book has a title
  await v1.POST('/books', { body: { isbn: '9780000000001' } })
  const { data } = await v1.GET('/books/{isbn}', { params: { path: { isbn: '9780140449136' } } })
  // @ts-expect-error a book has no price
  data?.price.toFixed()
}
