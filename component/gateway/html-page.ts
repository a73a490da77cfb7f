/** An HTML page of the gateway: for people, without scripts, and without anything that it loads. */
import { createHash } from 'node:crypto'
import type { RealmPage } from '#component/realm-page.ts'
import type { Exchange, Reply } from './exchange.ts'
import type { Headers } from './header-layers.ts'

/** The contents of a page; the title is text, the body HTML. */
export interface HtmlPage {
  readonly title: string
  readonly body: readonly string[]
  /** CSS; absent: what the browser has. */
  readonly style?: string
  /** RFC 5646; absent: English. */
  readonly language?: string
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as HTML, also within an attribute in quotes. */
export const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')

/** Whether a person asks with a browser: the request accepts HTML more than JSON; scripts accept everything alike. */
export const prefersPage = (exchange: Exchange): boolean =>
  exchange.negotiate(['application/json', 'text/html']) === 'text/html'

/** The stylesheet of the pages that users of APIs meet, light and dark: links are buttons, the code of an error is small. */
export const personStyle = [
  ':root{color-scheme:light dark}',
  'body{background:Canvas;color:CanvasText;font:1rem/1.5 system-ui,sans-serif;max-width:22rem;margin:15vh auto 0;padding:0 1rem;overflow-wrap:anywhere}',
  'a{display:block;margin:.75rem 0;padding:.75rem 1rem;border:1px solid;border-radius:.5rem;text-align:center;text-decoration:none}',
  'a:hover,a:focus-visible{outline:2px solid;outline-offset:2px}',
].join('')

/** The contents of a page for people who meet an API. */
interface PersonPage extends Omit<HtmlPage, 'style'> {
  /** Of an error, for support. */
  readonly code?: string
}

/** The page of a realm as a reply; the realm is absent where it is not known. */
export function personPage(
  status: number,
  { title, body, code, ...page }: PersonPage,
  realm: RealmPage | undefined,
): PageReply {
  const { name, support } = realm ?? {}
  const small = (html: string) => `<p><small>${html}</small></p>`
  return htmlReply(status, {
    ...page,
    title: name === undefined ? title : `${title} · ${name}`,
    body: [
      ...(name === undefined ? [] : [`<p><b>${escaped(name)}</b></p>`]),
      ...[`<h1>${escaped(title)}</h1>`, ...body],
      ...(support === undefined ? [] : [`<p>${escaped(support)}</p>`]),
      ...(code === undefined ? [] : [small(`<code>${escaped(code)}</code>`)]),
    ],
    style: personStyle,
  })
}

const hashOf = (style: string): string =>
  `'sha256-${createHash('sha256').update(style).digest('base64')}'`

/** A reply whose fields have one value each. */
interface PageReply extends Reply {
  readonly headers: Headers
}

/** The page as a reply, which is not cached. */
export function htmlReply(
  status: number,
  { title, body, style, language = 'en' }: HtmlPage,
): PageReply {
  const html = [
    '<!doctype html>',
    `<html lang="${language}"><head><meta charset="utf-8"><title>${escaped(title)}</title>`,
    ...(style === undefined ? [] : [`<style>${style}</style>`]),
    '<meta name="viewport" content="width=device-width"></head><body>',
    ...body,
    '</body></html>',
  ].join('\n')
  const sources = style === undefined ? '' : `style-src ${hashOf(style)}; `
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; ${sources}base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      vary: 'Accept',
    },
    body: { kind: 'bytes', bytes: html },
  }
}
