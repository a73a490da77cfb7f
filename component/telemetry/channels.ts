/** The channels of node:diagnostics_channel on which the gateway tells other tools of the process what it does (docs/embedding.md). */
import { channel } from 'node:diagnostics_channel'

/** Requests that are over. */
export const requests = channel('wamp-gateway:request')

/** Attempts of actions that are over: calls, publications, and requests to upstreams. */
export const calls = channel('wamp-gateway:call')
