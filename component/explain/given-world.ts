/** The world of a rehearsal: sessions and connections that nothing leaves by, and that answer with given outcomes. */
import { lookup } from 'node:dns'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type {
  Connections,
  UpstreamHandler,
  UpstreamRequest,
} from '#component/action/connections/upstreams.ts'
import type { DeliverPorts } from '#component/action/deliver/perform.ts'
import type { EndpointPorts } from '#component/action/delivery-endpoint/perform.ts'
import type { FoundFile, RootPorts } from '#component/action/files/perform.ts'
import type { BodyCodec } from '#component/action/forward/body.ts'
import type { ForwardPorts } from '#component/action/forward/perform.ts'
import type { SubscribePorts } from '#component/action/wamp-subscribe/perform.ts'
import type { Clock } from '#component/clock.ts'
import { Semaphore } from '#component/limits/semaphore.ts'
import { Streams } from '#component/stream/hub.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { targetOf, upstreamOf } from '#component/upstreams/settings.ts'
import { toldCredentials } from '#component/upstreams/told-credentials.ts'
import { Upstream } from '#component/upstreams/upstream.ts'
import type { Call, CallResult, ProgressListener, Session } from '#component/wamp/session.ts'
import type { GivenOutcome, GivenPiece } from './asked.ts'
import { GivenEvents } from './given-events.ts'
import {
  answerDispatch,
  callResult,
  failAsOutbox,
  failDispatch,
  publication,
} from './given-outcome.ts'

/** Events that are published before other work has its turn. */
const eventsOfTurn = 16

const unused = (): never => {
  throw new TypeError('actions call, publish and subscribe')
}

/** What actions send to. @param index of the action that runs, from 0 */
type World = (
  index: () => number,
) => Pick<ForwardPorts, 'connections' | 'findUpstream'> &
  Pick<SubscribePorts, 'sessions' | 'streams'> &
  Pick<DeliverPorts, 'handIn'> &
  EndpointPorts &
  RootPorts

/** The world, and what happens in it once an answer streams. */
interface GivenWorld {
  readonly world: World
  /**
   * Lets come what follows the head of a stream: events, and pieces behind the first. What streams make of events has been written when
   * it resolves.
   */
  play(): Promise<void>
}

interface GivenWorldPorts {
  readonly codec: BodyCodec
  readonly clock: Clock
  /** Called when the events of a stream have come that an answer waits for. */
  onPlayed?(): void
  /** Is given a body that is passed on to an upstream, when the whole of it has come. */
  onBody?(bytes: Uint8Array): void
  /** Is given the sizes of the pieces that a call has sent of a body, behind the last one; bytes. */
  onChunks?(sizes: readonly number[]): void
  /** Undefined: no upstream has credentials. */
  readonly authOf?: AuthOf | undefined
}

/** The `auth` of an upstream of a realm; undefined: it has none. */
export type AuthOf = (realm_uri: string, upstream: string) => JsonMap | undefined

/** @param outcomeOf the outcome of the first, second, … action */
export function givenWorld(
  outcomeOf: (index: number) => GivenOutcome,
  { codec, clock, onPlayed, onBody, onChunks, authOf }: GivenWorldPorts,
): GivenWorld {
  const events = new GivenEvents()
  const begun = Promise.withResolvers<void>()
  const turns: (() => void)[] = []
  const nextTurn = (callback: () => void) => void turns.push(callback)
  const publish = async (): Promise<void> => {
    let count = 0
    for (const _ of events.publishing()) {
      for (let turn = turns.shift(); turn; turn = turns.shift()) turn()
      count += 1
      // each event may evaluate expressions that take long
      if (count % eventsOfTurn === 0) await setImmediate()
    }
  }
  let played: Promise<void> | undefined
  const play = (): Promise<void> => {
    begun.resolve()
    played ??= publish()
    return played
  }
  const streams = new Streams({
    ...{ clock, nextTurn },
    hold: () => () => undefined,
    // a stream of one event may begin before its head: then the head waits for the event
    observer: {
      onBegun: () =>
        queueMicrotask(async () => {
          await play()
          onPlayed?.()
        }),
    },
  })
  const dispatch = (
    request: UpstreamRequest,
    handler: UpstreamHandler,
    outcome: GivenOutcome,
  ): void => {
    const { body } = request
    const onError = (error: Error): void => failDispatch(error, handler)
    const receive = async (): Promise<void> => {
      if (body instanceof Readable) onBody?.(Buffer.concat(await body.toArray()))
    }
    receive().then(() => answerDispatch(request, outcome, handler, codec), onError)
  }
  const world: World = (index) => ({
    sessions: {
      session: (realm_uri): Session => {
        let isSubscribed = false
        return {
          realm_uri,
          isOpen: true,
          passesTraceContext: false,
          call: (_procedure, _payload, { progress }, _timeoutMs, onProgress) => {
            const outcome = outcomeOf(index())
            if (progress === true) return callWithBody(outcome, onProgress, onChunks)
            return isSubscribed
              ? callTo(outcome.snapshot ?? {}, begun.promise)
              : callTo(outcome, begun.promise, onProgress)
          },
          publish: (_topic, _payload, { acknowledge }) =>
            publication(outcomeOf(index()), acknowledge !== false),
          watch: (topic, options, _timeoutMs, handlers) => {
            isSubscribed = true
            return events.watch(topic, options, outcomeOf(index()), handlers)
          },
          register: unused,
          subscribe: unused,
          withdraw: unused,
          leave: unused,
        }
      },
    },
    handIn: () => kept(outcomeOf(index())),
    manageEndpoint: () => managed(outcomeOf(index())),
    ...toUpstreams(clock, authOf, (request, handler) =>
      dispatch(request, handler, outcomeOf(index())),
    ),
    streams,
    roots: { open: async ({ pieces }) => givenFile(outcomeOf(index()), pieces) },
    openFiles: new Semaphore({ atOnce: 1, waiting: 1, refusal: '' }),
  })
  return { world, play }
}

/** What becomes of an event that is handed in. @throws ServiceError where an error is given */
async function kept({ result, error }: GivenOutcome) {
  if (error) failAsOutbox(error)
  return { webhook_id: 'msg_example', is_repeat: false, ...result }
}

/** What is told of the endpoints of a user. @throws ServiceError where an error is given */
async function managed({ result, error }: GivenOutcome) {
  if (error) failAsOutbox(error)
  return { endpoint: null, endpoints: null, secret: null, is_repeat: null, ping: null, ...result }
}

/** The file that an outcome gives; an error is one that is not there. */
function givenFile({ result, error }: GivenOutcome, pieces: readonly string[]): FoundFile {
  return error ? 'nothing' : { result: { path: pieces.join('/'), size: 0, ...result } }
}

/** Of an origin that nothing connects to. */
const unresolved = {
  protocol: 'http:',
  port: 80,
  addressClass: undefined,
  isAddress: false,
} as const

/** Connections by which nothing leaves, and an upstream of each name, whose one target has its name. */
function toUpstreams(
  clock: Clock,
  authOf: AuthOf | undefined,
  dispatch: ReturnType<Connections['pool']>['dispatch'],
) {
  const connections: Connections = {
    pool: () => ({ dispatch }),
    release: () => undefined,
    connected: () => 0,
    proxies: () => false,
    close: async () => undefined,
  }
  const findUpstream: ForwardPorts['findUpstream'] = (realm_uri, name) => {
    const origin = { ...unresolved, hostname: name, text: `upstream:${name}` }
    const auth = authOf?.(realm_uri, name)
    const settings = { ...upstreamOf(name, { auth }), targets: [targetOf(origin.text, origin)] }
    return new Upstream(realm_uri, settings, {
      clock,
      connections,
      openCredentials: (_holder, of) => toldCredentials(of),
      openValue: async () => undefined,
      tokenOf: () => '',
      lookup,
    })
  }
  return { connections, findUpstream }
}

/** A call; its pieces precede the answer where somebody listens. The head of the answer goes out with the first, before the others come. */
function callTo(
  { pieces = [], ...answer }: GivenOutcome,
  begun: Promise<void>,
  onProgress?: ProgressListener,
): Call {
  let isCanceled = false
  const perform = async (): Promise<CallResult> => {
    await undefined // no piece comes before the call is known
    for (const [index, piece] of onProgress ? pieces.entries() : []) {
      if (index === 1) await begun
      if (!isCanceled) onProgress?.(pieceOf(piece))
    }
    return await callResult(answer)
  }
  return {
    result: perform(),
    cancel: () => {
      isCanceled = true
    },
  }
}

/** A call that a body follows in pieces: its callee takes each as it comes, and answers when it has all of them. */
function callWithBody(
  answer: GivenOutcome,
  onProgress?: ProgressListener,
  onChunks?: (sizes: readonly number[]) => void,
): Call {
  const sizes: number[] = []
  const end = Promise.withResolvers<void>()
  const send = ([chunk]: readonly unknown[], isLast: boolean): void => {
    if (chunk instanceof Uint8Array) sizes.push(chunk.length)
    onProgress?.(pieceOf({}))
    if (!isLast) return
    onChunks?.(sizes)
    end.resolve()
  }
  return {
    result: end.promise.then(() => callResult(answer)),
    cancel: () => undefined,
    pieces: { send, room: () => undefined },
  }
}

const pieceOf = ({ args = [], kwargs = {}, details = {} }: GivenPiece) => ({
  ...{ request_id: 1, args, kwargs },
  details: { ...details, progress: true },
})
