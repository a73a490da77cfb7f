/** The HTML page for a person whose login has failed: the reason, and links to go on. */
import type { OidcErrorCode } from '#component/oidc-error.ts'
import type { RealmPage } from '#component/realm-page.ts'
import type { Exchange, Reply } from './exchange.ts'
import { escaped, personPage } from './html-page.ts'

/** A link to go on; `href` is an address of this gateway. */
interface Way {
  readonly text: string
  readonly href: string
}

/** The contents of a page. */
export interface LoginPage {
  /** The code of an OIDC error, or why a ticket was not accepted. */
  readonly reason:
    | OidcErrorCode
    | 'two_tickets'
    | 'ticket_not_sent'
    | 'ticket_refused'
    | 'ticket_ended'
  /** The error code of the provider, if it gave one. */
  readonly providerCode?: string | undefined
  /** Instead of the sentence of the reason. */
  readonly sentence?: string | undefined
  readonly ways: readonly Way[]
}

const sentences: Readonly<Record<LoginPage['reason'], string>> = {
  unknown_provider: 'Users cannot log in here at this identity provider.',
  authorization_url_failed: 'The login could not be started.',
  provider_unavailable: 'The identity provider cannot be reached now. Try again later.',
  ticket_issue_failed: 'The identity provider knows you, but you cannot log in here.',
  ticket_too_large:
    'The identity provider says more about you than a cookie can hold, so you cannot log in here.',
  claims_too_large:
    'The identity provider says more about you than is accepted here, so you cannot log in.',
  invalid_redirect_uri: 'The address to return to after the login is not allowed or is too long.',
  missing_code_or_state: 'The response of the identity provider is incomplete.',
  invalid_state:
    'This login is no longer valid: it has already been completed, or it was started in another browser.',
  state_expired: 'The login took too long.',
  realm_mismatch: 'This login was started at another service.',
  token_exchange_failed: 'The response of the identity provider could not be verified.',
  missing_authid_claim:
    'The identity provider does not say who you are in a form that is accepted here.',
  unmet_authentication_requirements:
    'The identity provider has not logged you in as strongly, or as recently, as this page requires.',
  provider_error: 'The identity provider has refused the login.',
  two_tickets:
    'Your browser sent two different tickets, so neither was accepted. Log in again, which removes both. If this page comes back, delete the cookies of this site.',
  ticket_not_sent:
    'You have just logged in, but your browser did not send the ticket. The browser may withhold it when you come from another site (cookie_same_site: strict), or block the cookies of this site.',
  ticket_refused: 'You have just logged in, but your ticket is not accepted here.',
  ticket_ended: 'Your login has ended. You can continue without it, or log in again.',
}

/** What some codes of a provider mean for a person (RFC 6749 §4.1.2.1; OpenID Connect Core §3.1.2.6). */
const providerSentences: Readonly<Record<string, string>> = {
  access_denied: 'You, or the identity provider, have refused the login.',
  login_required: 'You are not logged in at the identity provider.',
  interaction_required: 'The identity provider has to ask you something before you can log in.',
  consent_required: 'The identity provider has to ask for your consent before you can log in.',
  account_selection_required:
    'The identity provider has to ask which of your accounts you want to use.',
  temporarily_unavailable: 'The identity provider cannot log anyone in now. Try again later.',
  unmet_authentication_requirements:
    'The identity provider cannot log you in as strongly, or as recently, as this page requires.',
}

const sentenceOf = ({ reason, providerCode = '' }: LoginPage): string =>
  (reason === 'provider_error' && Object.hasOwn(providerSentences, providerCode)
    ? providerSentences[providerCode]
    : undefined) ?? sentences[reason]

const way = ({ text, href }: Way): string =>
  `<p><a href="${escaped(href)}">${escaped(text)}</a></p>`

/** Whether a person asks with a browser: the request names text/html; scripts accept everything instead. */
export const isForPage = (exchange: Exchange): boolean =>
  exchange.method === 'get' &&
  /text\/html/i.test(exchange.header('accept') ?? '') &&
  exchange.negotiate(['text/html']) !== undefined

/** The page as a reply. @param realm in which the login has failed */
export function loginPage(status: number, page: LoginPage, realm: RealmPage | undefined): Reply {
  const { reason, providerCode, sentence = sentenceOf(page), ways } = page
  const codes = providerCode === undefined ? reason : `${reason}: ${providerCode}`
  const body = [`<p>${escaped(sentence)}</p>`, ...ways.map(way)]
  return personPage(status, { title: 'Login', body, code: codes }, realm)
}
