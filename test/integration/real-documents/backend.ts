/** What requests to the real documents hold, what their expressions mean, and the callees made from them. */
import { systemClock } from '#component/clock.ts'
import { openLog } from '#component/log.ts'
import { componentSession } from '#component/wamp/autobahn-session.ts'
import { type Payload, WampError } from '#component/wamp/session.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { bindingValue, type RealSpec, type Route } from './document.ts'

/** A procedure that requests name. */
const dynamicProcedure = 'com.example.named.by.body'
const topic = 'com.example.topic.of.body'
/** The query of every request. */
export const query = '_page=2&name=a%20b'
/** The body of every request that has one. */
export const body = {
  procedure: dynamicProcedure,
  topic,
  options: {},
  args: ['one', 2, { three: [null, true] }],
  kwargs: { key: 'value' },
  username: 'ada',
  new_password: 'correct horse',
}

/** What an answer of the callee holds. */
export const made = {
  args: [{ id: 'x', uri: 'com.example.made', name: 'n', realm_uri: 'r', other: 1 }, 'second'],
  kwargs: { a: 1 },
}
/** What an error of the callee holds. */
export const failure = { args: ['it failed'], kwargs: { message: 'it failed', detail: 7 } }

/** What the documents say of requests. */
export const requestWords = (route: Route) => ({
  '{{request.body}}': body,
  '{{request.body.procedure}}': body.procedure,
  '{{request.body.options}}': body.options,
  '{{request.body.args}}': body.args,
  '{{request.body.kwargs}}': body.kwargs,
  '{{request.body.username}}': body.username,
  '{{request.body.new_password}}': body.new_password,
  '{{request.bindings.id}}': bindingValue,
  '{{request.bindings.realm_uri}}': bindingValue,
  '{{request.bindings.id |> integer}}': Number(bindingValue),
  '{{request.bindings.session_id |> integer}}': Number(bindingValue),
  '{{variables.query_match}}': { name: 'a b' },
  '{{variables.foo}}': route.variables.foo,
})

/** What the documents say of results. */
export const resultWords = (payload: Payload) => ({
  '{{action.result.arguments |> head}}': payload.args[0],
  '{{action.result.arguments |> head |> with([id, name, host, realm_uri, meta, ts])}}': {
    id: 'x',
    name: 'n',
    realm_uri: 'r',
  },
  '{{action.result.args}}': payload.args,
  '{{action.result.kwargs}}': payload.kwargs,
  '{{action.result.details}}': {},
})
/** What the documents say of errors. */
export const errorWords = (error_uri: string, { args, kwargs }: Payload) => ({
  '{{variables.wamp_error_body}}': { ...kwargs, code: error_uri },
  '{{action.error.error_uri}}': error_uri,
  '{{action.error.args}}': args,
  '{{action.error.kwargs}}': kwargs,
  '{{action.error.details}}': {},
})

/** Callees and a subscriber made from the document. */
export class Backend {
  /** What it answers next. */
  next: Payload | WampError = made
  readonly calls: { readonly uri: string; readonly payload: Payload }[] = []
  readonly events: Payload[] = []
  readonly session: SupervisedSession

  constructor(url: string, realm_uri: string) {
    this.session = componentSession({
      url,
      realm_uri,
      serializer: 'json',
      auth: { authmethod: 'anonymous' },
      clock: systemClock,
      log: openLog('silent'),
    })
  }

  async serve({ procedures }: RealSpec): Promise<void> {
    await this.session.joined(5000)
    for (const uri of [...procedures, dynamicProcedure]) {
      await this.session.register(uri, (payload) => {
        this.calls.push({ uri, payload })
        if (this.next instanceof WampError) throw this.next
        return this.next
      })
    }
    await this.session.subscribe(topic, (payload) => this.events.push(payload))
  }
}
