/** What the nodes ask each other about logins: which tickets have come to them, when API keys were used, and what one keeps of a login. */
import { answerNode } from '#component/oidc/kept/login-nodes.ts'
import type { Nodes } from '#component/wiring/ask-nodes.ts'
import type { WiringContext } from '#component/wiring/context.ts'
import { KeyUseLists } from './key-use-lists.ts'
import type { KeptLogins } from './open-kept-logins.ts'
import { TicketLists } from './ticket-lists.ts'

/** What all nodes know of logins. */
export interface LoginLists {
  readonly tickets: TicketLists
  readonly keyUses: KeyUseLists
}

/** Answers other nodes from now on. Those that keep logins are asked where each has a store of its own. */
export function openLoginQuestions(
  context: Pick<WiringContext, 'node' | 'store' | 'users'>,
  logins: KeptLogins,
  nodes: Nodes,
): LoginLists {
  nodes.answers.login = (question) => answerNode(question, logins)
  if (!context.store.isShared) {
    logins.nodes.ask = (node, question) => nodes.ask(node, 'login', question)
  }
  return {
    tickets: new TicketLists(context, nodes),
    keyUses: new KeyUseLists(context.users.apiKeys, nodes),
  }
}
