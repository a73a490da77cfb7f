/** The API of orders behind a gateway of its own, with its backend. */
import type { JsonMap } from '#component/syntax/values.ts'
import { type InvocationHandler, WampError } from '#component/wamp/session.ts'
import { ordersDocument, ordersRealm } from '#test/support/examples/orders.ts'
import type { TestGateway } from '#test/support/gateway.ts'
import { publish } from './published.ts'

/** Who may see /staff. */
export const clerk = { username: 'ada', password: 'wonderland' }

function procedures(): Readonly<Record<string, InvocationHandler>> {
  const orders = new Map<unknown, JsonMap>()
  let last = 0
  const answer = (...args: readonly unknown[]) => ({ args, kwargs: {} })
  const find = (id: unknown): JsonMap => {
    const found = orders.get(id)
    if (found) return found
    throw new WampError(`${ordersRealm}.error.not_found`, { args: ['there is no such order'] })
  }
  const served: Readonly<Record<string, InvocationHandler>> = {
    list: ({ kwargs: { limit } }) => answer([...orders.values()].slice(0, Number(limit))),
    create({ args: [order] }) {
      last += 1
      const created = { id: last, state: 'open', order }
      orders.set(last, created)
      return answer(created)
    },
    get: ({ args: [id] }) => answer(find(id)),
    replace({ args: [id, order] }) {
      const replaced = { ...find(id), order }
      orders.set(id, replaced)
      return answer(replaced)
    },
    delete({ args: [id] }) {
      find(id)
      orders.delete(id)
      return answer()
    },
  }
  return Object.fromEntries(
    Object.entries(served).map(([name, serve]) => [`${ordersRealm}.${name}`, serve]),
  )
}

/** Starts a gateway with a router of its own and the backend, and loads realm and API. */
export const openOrders = (): Promise<TestGateway> =>
  publish({
    ...{
      document: ordersDocument,
      realm_uri: ordersRealm,
      procedures: procedures(),
      users: [clerk],
    },
  })
