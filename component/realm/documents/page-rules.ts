/** `login_page` of a realm document: whether people choose their identity provider on a page, and the texts of pages that people meet. */
import type { RealmPage } from '#component/realm-page.ts'
import { boolean, described, must, object, rule } from '#component/spec/rules.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'

/** Characters at most. */
const most = { title: 64, text: 300, support: 200 } as const

/** One line without what is invisible or turns the direction. */
const isPlain = (value: unknown, length: number): value is string =>
  typeof value === 'string' &&
  [...value].length <= length &&
  value.trim() !== '' &&
  /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(value)

const plain = (length: number) =>
  must(`one line of 1 to ${length} printable characters`, (value) => isPlain(value, length), {
    type: 'string',
    minLength: 1,
    maxLength: length,
  })

const texts = described(
  object('true, false, or a map of texts', {
    keys: {
      title: described(
        plain(most.title),
        'The name of the realm on the pages. Default: the last part of its URI.',
        { examples: ['Example Books'] },
      ),
      text: described(
        plain(most.text),
        'A sentence on the page of identity providers, in every language.',
        { examples: ['Customers use the account of their company.'] },
      ),
      support: described(
        plain(most.support),
        'Where people get help. It stands on all of these pages.',
        { examples: ['Help: support@example.com, +1 555 0100'] },
      ),
    },
  }),
  'The texts of the pages that people meet, and a page of identity providers as with `true`. The texts are plain: no HTML, no links.',
  { title: 'LoginPage' },
)

/** `true`, `false`, or texts. */
export const loginPage = rule({ anyOf: [boolean.schema, texts.schema] }, (value, path, report) => {
  if (typeof value !== 'boolean') texts(value, path, report)
})

/** Whether people choose among the providers of a realm on a page. */
export const hasLoginPage = ({ login_page }: JsonMap): boolean =>
  login_page === true || isMap(login_page)

/** What pages say of a realm. @param document with what it inherits */
export function pageOf({ uri, login_page }: JsonMap): RealmPage {
  const { title, text, support } = isMap(login_page) ? login_page : {}
  return {
    name: isPlain(title, most.title) ? title : (String(uri).split('.').at(-1) ?? ''),
    ...(isPlain(text, most.text) && { text }),
    ...(isPlain(support, most.support) && { support }),
  }
}
