/** Events of a topic to many streams: what a delivery costs, beside peers, and what streams and other work cost each other. */
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { documentOf, type Gateway, post, realm } from '#bench/gateway.ts'
import { hasNchan, startNchan } from '#bench/native.ts'
import { type Link, openLink } from '#bench/peers/wamp-link.ts'
import type { Scenario, Stage } from '#bench/stage.ts'
import { StreamGroup } from '#bench/stream-group.ts'
import { pathsOf } from './reloads.ts'
import { startRouter } from './wamp.ts'

/** Streams of each candidate. */
const streams = 1_000

/** Events that are on their way at once: enough that the candidate always has one to deliver. */
const inFlight = 8

/** A gateway that takes that many streams of one client. */
export const streamSettings = {
  'limits.streams': '20000',
  'limits.streams_per_address': '20000',
  'limits.max_connections': '40000',
  'limits.connections_per_address': '40000',
}

const filter = '{{action.event.args |> head |> equal({{request.bindings.name}}) |> equal(false)}}'

const text = '{{action.event.args |> head}}'
/** So large that some events fill all buffers between the gateway and a client that does not read. */
const large = Array.from({ length: 2_000 }, () => text)

/** A path with the events of a topic. */
export const streamOf = (
  topic: string,
  more: Readonly<Record<string, unknown>> = {},
  body: unknown = text,
) => ({
  get: {
    action: { type: 'wamp_subscribe', topic, ...more },
    response: { on_event: { body }, on_error: {} },
  },
})

const topicOf = (key: string) => `com.example.test.${key}`
const pathOf = (key: string, number: number) => `/${key}/n${number}`
const oursPlain = 'ours, SSE'

/** A candidate of the gateway. */
interface Ours {
  readonly name: string
  readonly type?: string
  /** Keys of its action. */
  readonly action?: Readonly<Record<string, unknown>>
  readonly against?: string
  readonly meanwhile?: (gateway: Gateway) => () => Promise<number>
}

const publish = 16

/** Publishes the texts of a group of streams. */
export const publisherOf = (link: Link, topic: string) => {
  let id = 0
  return (text: string) => link.send([publish, ++id, {}, topic, [text]])
}

/** Publishes over HTTP. */
function posterTo(url: string): (text: string) => void {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return (text) => {
    request(`${url}/publish`, { method: 'POST', agent }, (answer) => answer.resume()).end(
      JSON.stringify(text),
    )
  }
}

/** A client of one stream that never reads. */
function openStalled(url: string, path: string): () => Promise<number> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).pause()
  socket.on('error', () => undefined)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`)
  return async () => {
    socket.destroy()
    return 0
  }
}

/** Loads a document 10 times a second, each time changed. */
function reloading({ admin }: Gateway): () => Promise<number> {
  let [revision, failed] = [0, 0]
  let running: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    const document = { ...documentOf('com.example.other', pathsOf(10, ++revision)), host: 'other' }
    running = running.then(() => post(`${admin}/api_specs`, document)).catch(() => void failed++)
  }, 100)
  return async () => {
    clearInterval(timer)
    await running
    return failed
  }
}

/** What is compared of ours: its path and topic have its key. */
const ours: Readonly<Record<string, Ours>> = {
  sse: { name: oursPlain },
  lines: { name: 'ours, NDJSON', type: 'application/x-ndjson', against: oursPlain },
  filtered: { name: 'ours, a filter for each stream', action: { filter }, against: oursPlain },
  stalled: {
    name: 'ours, beside one that does not read',
    against: oursPlain,
    meanwhile: ({ url }) => openStalled(url, '/never-read'),
  },
  reloaded: { name: 'ours, 10 loads a second', against: oursPlain, meanwhile: reloading },
}

async function build(stage: Stage): Promise<void> {
  const router = await startRouter(stage)
  const link = await openLink(router.url, realm)
  stage.closing(() => link.close())
  const bareTopic = topicOf('bare')
  const paths = Object.fromEntries(
    Object.entries(ours).map(([key, { action }]) => [
      `/${key}/:name`,
      streamOf(topicOf(key), action),
    ]),
  )
  const neverRead = streamOf(topicOf('stalled'), { overflow: 'drop' }, large)
  const [bare, gateway] = await Promise.all([
    stage.peer('bare', 'push-http.ts', router.url, realm, bareTopic),
    stage.gateway(
      'ours',
      { ...paths, '/never-read': neverRead },
      { ...streamSettings, 'wamp.url': router.url },
    ),
  ])
  const compare = async (
    { process, url }: Pick<Gateway, 'process' | 'url'>,
    publisher: (text: string) => void,
    path: (number: number) => string,
    { name, type, against, meanwhile }: Ours,
  ) => {
    const opened = new StreamGroup(publisher)
    stage.closing(() => opened.close())
    await opened.open(url, streams, path, type)
    stage.candidates.push({
      name,
      process,
      load: { streams: opened, inFlight },
      ...(against && { against }),
      ...(meanwhile && { meanwhile: () => meanwhile(gateway) }),
    })
  }
  const bareName = { name: 'bare node:http + wampy' }
  await compare(bare, publisherOf(link, bareTopic), () => '/', bareName)
  for (const [key, each] of Object.entries(ours)) {
    const publisher = publisherOf(link, topicOf(key))
    await compare(gateway, publisher, (number) => pathOf(key, number), each)
  }
  const name = 'nginx + Nchan, one worker'
  if (hasNchan()) {
    const nchan = await startNchan(stage)
    await compare(nchan, posterTo(nchan.url), () => '/live', { name })
  } else stage.missing.push({ name, why: 'not installed: apt-get install libnginx-mod-nchan' })
}

/** One topic, one subscription in each candidate. */
export const push: Scenario = {
  about: `events of 200 characters to ${streams} streams of each candidate; an answer is an event at one stream, p50 and p99 are until the last stream has it`,
  build,
}
