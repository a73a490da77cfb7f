/** The pieces of a call as notifications of progress, and its end as the answer to a tool. */

import type { Frames } from '#component/stream/frames.ts'
import { framesOf } from '#component/stream/frames.ts'
import { notificationText } from '#component/tool/rpc.ts'
import { failedWith, type ResultRules, succeeded } from './tool-result.ts'

/** Characters of a piece that a client is told. */
const mostMessage = 1_000

/** How the answer to one call is told. */
export interface ToldCall extends ResultRules {
  /** Makes the whole answer of the members of its result. */
  answer(result: string): string
  /** The token of the client for its progress; undefined: the answer is one JSON text, without progress. */
  readonly progressToken: string | number | bigint | undefined
}

const { event, heartbeat } = framesOf['text/event-stream']

/** A message as an event. */
const eventOf = (data: string): string => event({ event: 'message', data })

/** The frames of one call. */
export class ToolFrames implements Frames {
  readonly heartbeat: string
  readonly #call: ToldCall

  constructor(call: ToldCall) {
    this.#call = call
    this.heartbeat = call.progressToken === undefined ? '' : heartbeat
  }

  event({ id, event: name, data }: Parameters<Frames['event']>[0]): string {
    const { progressToken } = this.#call
    // no piece has these names: they are those of the end
    if (name !== 'result' && name !== 'error') {
      if (progressToken === undefined) return ''
      const message = textOf(data).slice(0, mostMessage).toWellFormed()
      const params = { progressToken, progress: Number(id), message }
      return eventOf(notificationText('notifications/progress', params))
    }
    const answer = this.#call.answer(this.#end(name, data))
    return progressToken === undefined ? answer : eventOf(answer)
  }

  #end(name: 'result' | 'error', data: string): string {
    if (name === 'error') return failedWith(undefined, data)
    return succeeded(textOf(data), data, JSON.parse(data), this.#call)
  }

  comment(): string {
    return ''
  }

  retry(): string {
    return ''
  }

  position(): string {
    return ''
  }
}

/** A text as it is; other values as JSON. */
const textOf = (data: string): string => (data.startsWith('"') ? JSON.parse(data) : data)
