/** Callees that send progressive results, in the plain libraries. */
import autobahn from 'autobahn'
import { Wampy } from 'wampy'
import { WebSocket } from 'ws'

/**
 * A joined callee. Its procedures below `com.example.pieces` send so many pieces, each with its number, and then: `count` the result
 * `end`, `fail` the error com.example.broken, `hang` nothing.
 */
export interface ProgressCallee {
  close(): Promise<void>
}

/** Joins in the realm and registers. */
export type StartCallee = (url: string, realm: string) => Promise<ProgressCallee>

/** How the pieces of a call end. */
const endings = {
  count: () => 'end',
  fail: () => {
    throw new autobahn.Error('com.example.broken', ['no'])
  },
  hang: () => new Promise<never>(() => {}),
} as const

const procedureOf = (name: string): string => `com.example.pieces.${name}`

/** What autobahn gives an invocation. */
interface Details {
  readonly progress?: (args: readonly unknown[]) => void
}

async function startAutobahn(url: string, realm: string): Promise<ProgressCallee> {
  const connection = new autobahn.Connection({
    ...{ url, realm, max_retries: 0 },
    // the library would write them to the console
    on_user_error: () => undefined,
  })
  const session = await new Promise<Parameters<typeof connection.onopen>[0]>((resolve) => {
    connection.onopen = resolve
    connection.open()
  })
  for (const [name, end] of Object.entries(endings)) {
    await session.register(procedureOf(name), (args, _kwargs, details) => {
      const { progress } = details as Details
      for (let n = 1; n <= Number(args?.[0]); n += 1) progress?.([n])
      return end()
    })
  }
  return {
    async close() {
      if (session.isOpen) connection.close()
    },
  }
}

async function startWampy(url: string, realm: string): Promise<ProgressCallee> {
  const client = new Wampy(url, { realm, ws: WebSocket as never, autoReconnect: false })
  await client.connect()
  for (const [name, end] of Object.entries(endings)) {
    await client.register(procedureOf(name), async ({ argsList, details, result_handler }) => {
      const wants = (details as { receive_progress?: boolean }).receive_progress === true
      for (let n = 1; wants && n <= Number(argsList?.[0]); n += 1) {
        result_handler({ argsList: [n], options: { progress: true } })
      }
      try {
        return { argsList: [await end()] }
      } catch {
        throw Object.assign(new Error('no'), { error: 'com.example.broken', argsList: ['no'] })
      }
    })
  }
  return {
    async close() {
      await client.disconnect()
    },
  }
}

/** Both libraries by name. */
export const progressCallees: Readonly<Record<'autobahn-js' | 'wampy', StartCallee>> = {
  'autobahn-js': startAutobahn,
  wampy: startWampy,
}
