/** What a gateway is given, and the parts that its stages use. */
import type { Action } from '#component/action/action.ts'
import type { ActionType } from '#component/action/kinds.ts'
import { CallStreams } from '#component/gateway/streams/call-streams.ts'
import { type StreamedPorts, StreamedReplies } from '#component/gateway/streams/streamed-replies.ts'
import { serveTools, type ToolPorts } from '#component/gateway/tools/tool-endpoint.ts'
import type { PolicyPorts } from '#component/policies/index.ts'
import type { OuterKind, ToolsEndpoint } from './api.ts'
import { SecuredViews } from './context.ts'
import type { CorsPolicy } from './cors.ts'
import type { CallerPorts } from './invocation.ts'
import type { EndpointHandler, GatewayParts } from './parts.ts'

/** What a gateway is given. */
export interface GatewayPorts
  extends Omit<StreamedPorts, 'callStreams' | 'clock'>,
    Pick<GatewayParts, 'clock' | 'schemes' | 'sockets'> {
  readonly actions: Readonly<Record<ActionType, Action>>
  /** Absent: only tools are served, as where nothing is performed. */
  readonly endpoints?: Readonly<Record<OuterKind, EndpointHandler>>
  readonly cors: CorsPolicy
  /** What is known of those who call procedures. Absent: what the router says, and no more. */
  readonly callers?: CallerPorts
  /** Absent: the policies of routes do not hold. */
  readonly policies?: Partial<PolicyPorts>
  /** Absent: one of its own, with the default limits. */
  readonly callStreams?: CallStreams
  /** Receives the requests that wait for a slot of their version, for metrics. */
  readonly pools?: NonNullable<GatewayParts['pools']>
  /** The path of `public_base_url`, which a proxy takes away before requests come here; without a slash at the end. */
  readonly publicPath?: string
  /** What pages say of a realm. Absent: nothing, of any. */
  readonly pageOf?: GatewayParts['pageOf']
  /** Where clients reach this gateway, without a slash at the end. Absent: challenges name no metadata. */
  readonly publicBase?: () => string
  /** What endpoints for language models need. Absent: no page uses them, and challenges name no metadata. */
  readonly tools?: Pick<ToolPorts, 'pageOrigins' | 'publicBase' | 'calls'>
}

export const unknownCallers: CallerPorts = {
  tellsAllRoles: false,
  gatewayRole: 'gateway',
  rolesOf: () => undefined,
}

/** `action: {}`. */
const noAction: Action = {
  async perform() {
    return { result: {} }
  },
}

/** @param answer serves the call of a tool */
export function partsOf(ports: GatewayPorts, answer: ToolPorts['answer']): GatewayParts {
  const { clock, schemes, pools, publicPath = '', publicBase, sockets } = ports
  const { pageOf = () => undefined } = ports
  const { callStreams = new CallStreams({ clock }) } = ports
  const tools: ToolPorts = { ...{ schemes, pageOrigins: [], ...ports.tools }, answer }
  return {
    ...{ clock, pageOf, schemes, pools, publicPath, publicBase, sockets },
    callers: ports.callers ?? unknownCallers,
    policies: (ports.policies ?? {}) as PolicyPorts,
    random: () => clock.random(),
    actions: { ...ports.actions, none: noAction },
    secured: new SecuredViews(),
    endpoints: {
      ...ports.endpoints,
      mcp: (exchange, endpoint, bindings) =>
        serveTools(exchange, endpoint as ToolsEndpoint, bindings, tools),
    },
    streamed: new StreamedReplies({ ...ports, callStreams }),
  }
}
