/** The page on which a person chooses among the identity providers of a realm: links alone, in the language of the browser. */
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import { escaped, htmlReply } from '#component/gateway/html-page.ts'
import type { ProviderSettings } from '#component/oidc/settings.ts'
import { OidcError } from '#component/oidc-error.ts'

/** At most this many bytes of a page. */
const maxPage = 4_096

/** What the page says, by language; the first one is that of browsers which want none of them. */
const texts: Readonly<Record<string, { readonly title: string; readonly sentence: string }>> = {
  en: { title: 'Log in', sentence: 'Choose where you want to log in.' },
  de: { title: 'Anmelden', sentence: 'Wählen Sie, wo Sie sich anmelden möchten.' },
  fr: { title: 'Connexion', sentence: 'Choisissez où vous connecter.' },
  es: { title: 'Iniciar sesión', sentence: 'Elija dónde quiere iniciar sesión.' },
}

const style = [
  ':root{color-scheme:light dark}',
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:22rem;margin:15vh auto 0;padding:0 1rem}',
  'a{display:block;margin:.75rem 0;padding:.75rem 1rem;border:1px solid;border-radius:.5rem;text-align:center;text-decoration:none;overflow-wrap:anywhere}',
  'a:hover,a:focus-visible{outline:2px solid;outline-offset:2px}',
].join('')

/**
 * The page; each link is the login at one provider, with the query of this request.
 * @throws OidcError invalid_redirect_uri when the links would make the page too long
 */
export function loginChoice(
  exchange: Pick<Exchange, 'query_params' | 'negotiateLanguage'>,
  choices: readonly Pick<ProviderSettings, 'name' | 'title'>[],
): Reply {
  const language = exchange.negotiateLanguage(Object.keys(texts))
  const { title = '', sentence = '' } = texts[language] ?? {}
  const links = choices.map(({ name, title: text = name }) => {
    const query = new URLSearchParams({ ...exchange.query_params, provider: name })
    return `<a href="?${escaped(query.toString())}">${escaped(text)}</a>`
  })
  const body = [`<h1>${escaped(title)}</h1>`, `<p>${escaped(sentence)}</p>`, ...links]
  const page = htmlReply(200, { title, body, style, language })
  if (page.body.kind === 'bytes' && Buffer.byteLength(page.body.bytes) > maxPage) {
    const message = `the login page would be longer than ${maxPage} bytes: every link holds the query`
    throw new OidcError('invalid_redirect_uri', message)
  }
  const headers = { ...page.headers, 'content-language': language, vary: 'Accept-Language, Origin' }
  return { ...page, headers }
}
