/** Whoever serves the procedure of the shop: logs in to its realm by ticket and answers with the authid of the caller. */
import { allRoles, RouterPeer } from '#test/contract/router/peer.ts'
import { orderProcedure, passwords, shopRealm } from './example-api.ts'

async function logIn(url: string): Promise<RouterPeer> {
  const peer = await RouterPeer.open(url)
  const details = { roles: allRoles, authmethods: ['ticket'], authid: 'backend' }
  await peer.ask(1, shopRealm, details)
  const [code, , reason] = await peer.ask(5, passwords.backend, {})
  if (code !== 2) throw new Error(`the backend may not join: ${String(reason)}`)
  return peer
}

/**
 * Joins and registers; serves until its connection is cut.
 * @param isOpen does the router know nothing of users, and let everybody in?
 */
export async function openShopBackend(
  url: string,
  isOpen = false,
): Promise<Pick<RouterPeer, 'cut'>> {
  const peer = isOpen ? await RouterPeer.join({ url, realm: shopRealm }) : await logIn(url)
  await peer.register(orderProcedure)
  const serve = async () => {
    for (;;) {
      const [code, request, , call] = await peer.next()
      const caller = (call as { readonly caller_authid?: string }).caller_authid
      if (code === 68) peer.send(70, request, {}, [caller])
    }
  }
  void serve()
  return peer
}
