/** The API Specifications that the console shows: what it reads after events, and which answers count. */
import { registerHooks } from 'node:module'
import { expect } from 'chai'
import { until } from '#test/support/running/until.ts'

interface Request {
  readonly path: string
  answer(body: unknown, status?: number): void
  /** With 200. */
  answerText(text: string): void
}

const globals = globalThis as unknown as Record<string, unknown>
const names = ['fetch', 'location', 'requestAnimationFrame', 'sessionStorage'] as const

/** Of a document: its id, and which load of it this is. */
const doc = (load: number, id = 'a') => ({ id, ts: load })

describe('the API Specifications of the console', () => {
  let lib: typeof import('#http/console/page/lib/live.js') &
    typeof import('#http/console/page/lib/specs.js')
  const own = names.map((name) => Object.getOwnPropertyDescriptor(globals, name))
  let requests: Request[] = []
  let events: ReadableStreamDefaultController<Uint8Array>

  before(async () => {
    // nothing is drawn
    const hooks = registerHooks({
      resolve: (specifier, context, next) =>
        specifier.endsWith('/preact.js')
          ? { url: 'data:text/javascript,export let useEffect, useReducer', shortCircuit: true }
          : next(specifier, context),
    })
    lib = {
      ...(await import('#http/console/page/lib/live.js')),
      ...(await import('#http/console/page/lib/specs.js')),
    }
    hooks.deregister()
    const stubs = {
      location: { href: 'http://127.0.0.1/console/' },
      sessionStorage: { getItem: () => null, removeItem: () => undefined },
      requestAnimationFrame: () => 0,
      fetch: (url: string) => {
        const path = new URL(url).pathname
        if (path === '/events') {
          return Promise.resolve(
            new Response(
              new ReadableStream({
                start(controller) {
                  events = controller
                },
              }),
            ),
          )
        }
        return new Promise((resolve) => {
          const answer = (body: unknown, status = 200) => resolve(Response.json(body, { status }))
          requests.push({ path, answer, answerText: (text) => resolve(new Response(text)) })
        })
      },
    }
    for (const name of names) {
      Object.defineProperty(globals, name, { value: stubs[name], configurable: true })
    }
  })
  after(() => {
    lib.signOut()
    for (const [index, name] of names.entries()) {
      const descriptor = own[index]
      if (descriptor) Object.defineProperty(globals, name, descriptor)
      else delete globals[name]
    }
  })

  const tell = (name: string, data: object) =>
    events.enqueue(new TextEncoder().encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`))
  const asked = async (path: string): Promise<Request> => {
    await until(`${path} is asked`, () => requests.some((each) => each.path === path))
    const index = requests.findIndex((each) => each.path === path)
    return requests.splice(index, 1)[0] as Request
  }
  const shows = (...loads: readonly object[]) =>
    until('it shows them', () => {
      const shown = [...lib.specStore.get().specs.values()]
      return JSON.stringify(shown) === JSON.stringify(loads)
    })
  /** Of a new connection. */
  async function list(): Promise<Request> {
    requests = []
    lib.connect()
    await new Promise((resolve) => setImmediate(resolve))
    tell('hello', {})
    return await asked('/api_specs')
  }

  it('are those of the list, and what has changed since', async () => {
    ;(await list()).answer([doc(1)])
    await shows(doc(1))
    tell('on_load', { id: 'b' })
    ;(await asked('/api_specs/b')).answer(doc(1, 'b'))
    await shows(doc(1), doc(1, 'b'))
    tell('on_delete', { id: 'a' })
    ;(await asked('/api_specs/a')).answer({}, 404)
    await shows(doc(1, 'b'))
  })

  it('have what was loaded while the list was on its way, which does not know of it', async () => {
    const first = await list()
    tell('on_load', { id: 'b' })
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(requests).to.deep.equal([])
    first.answer([doc(1)])
    ;(await asked('/api_specs/b')).answer(doc(1, 'b'))
    await shows(doc(1), doc(1, 'b'))
  })

  it('are those of the last connection, whenever answers of the one before come', async () => {
    const former = await list()
    ;(await list()).answer([doc(2)])
    await shows(doc(2))
    former.answer([doc(1)])
    await new Promise((resolve) => setImmediate(resolve))
    await shows(doc(2))
  })

  it('are read on after a page of a proxy in place of the list', async () => {
    ;(await list()).answer([doc(1)])
    await shows(doc(1))
    ;(await list()).answerText('<html>')
    await until('it tells a problem', () => lib.specStore.get().problem !== '')
    tell('on_load', { id: 'b' })
    ;(await asked('/api_specs/b')).answer(doc(1, 'b'))
    await shows(doc(1), doc(1, 'b'))
  })

  it('have nothing in place of one that is no document', async () => {
    ;(await list()).answer([doc(1)])
    await shows(doc(1))
    tell('on_load', { id: 'b' })
    ;(await asked('/api_specs/b')).answerText('<html>')
    tell('on_load', { id: 'c' })
    ;(await asked('/api_specs/c')).answer(doc(1, 'c'))
    await shows(doc(1), doc(1, 'c'))
  })

  for (const status of [429, 503]) {
    it(`stay, and are read again, where the gateway answers ${status}`, async () => {
      ;(await list()).answer([doc(1)])
      await shows(doc(1))
      tell('on_load', { id: 'a' })
      ;(await asked('/api_specs/a')).answer({}, status)
      const again = await asked('/api_specs/a')
      await shows(doc(1))
      again.answer(doc(2))
      await shows(doc(2))
    })
  }
})
