/** What the nodes ask each other about logins: which tickets have come to them, and what one keeps of a login. */
import { answerNode } from '#component/oidc/kept/login-nodes.ts'
import type { Nodes } from '#component/wiring/ask-nodes.ts'
import type { WiringContext } from '#component/wiring/context.ts'
import type { KeptLogins } from './open-kept-logins.ts'
import { TicketLists } from './ticket-lists.ts'

/** Answers other nodes from now on. Those that keep logins are asked where each has a store of its own. */
export function openLoginQuestions(
  context: Pick<WiringContext, 'node' | 'store' | 'users'>,
  logins: KeptLogins,
  nodes: Nodes,
): TicketLists {
  nodes.answers.login = (question) => answerNode(question, logins)
  if (!context.store.isShared) {
    logins.nodes.ask = (node, question) => nodes.ask(node, 'login', question)
  }
  return new TicketLists(context, nodes)
}
