/** A backend in the realm com.example.test: one procedure answers, one is slow, one fails. */
import { setTimeout as pause } from 'node:timers/promises'
import { componentSession } from '#component/wamp/autobahn-session.ts'
import { WampError } from '#component/wamp/session.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { basics, nothing } from '#test/contract/session/support.ts'

/** The procedures. `slow` takes longer than an API may by the alerts; `brief` long enough to be waited for. */
export const procedures = {
  work: 'com.example.work',
  slow: 'com.example.slow',
  brief: 'com.example.brief',
  broken: 'com.example.broken',
} as const

/** A topic to which it publishes, too. */
export const topic = 'com.example.topic'

const after = (ms: number) => async () => {
  await pause(ms)
  return { args: ['done'], kwargs: {} }
}

/** Joins and registers; the session, which its user leaves. */
export async function openCallee(url: string): Promise<SupervisedSession> {
  const session = componentSession({ ...basics, url })
  if (!(await session.joined(10_000))) throw new Error('the callee did not join')
  await session.register(procedures.work, after(0))
  await session.register(procedures.slow, after(1300))
  await session.register(procedures.brief, after(20))
  await session.register(procedures.broken, () =>
    Promise.reject(new WampError('com.example.error.broken', nothing)),
  )
  return session
}
