/** Refuses clients of tools: by the challenge of the security, which says where its metadata are, or by there being no such tool. */
import { ServiceError } from '#component/errors.ts'
import { concretePath } from '#component/routes/concrete-path.ts'
import { PassedAnswer } from '#component/security/passed-answer.ts'
import { challengeWithMetadata } from '#component/security/resource-metadata.ts'
import { RpcError } from '#component/tool/rpc.ts'
import type { ToolPorts, ToolRequest } from './tool-endpoint.ts'
import { type Judgement, judge, type Refusal } from './visible-tools.ts'

const challengeField = 'www-authenticate'

/** The refusal with the address of the metadata of the endpoint (RFC 9728 §5.1). */
function withMetadata(
  { exchange, endpoint, bindings }: ToolRequest,
  { publicBase }: ToolPorts,
  { error, protection }: Refusal,
): ServiceError {
  if (publicBase === undefined || error instanceof PassedAnswer) return error
  const path = concretePath(endpoint.base, bindings) + String(endpoint.security.path)
  const { [challengeField]: told } = error.headers
  const challenge = challengeWithMetadata(told, protection, publicBase(exchange), path)
  if (challenge === undefined) return error
  const headers = { ...error.headers, [challengeField]: challenge }
  return new ServiceError(error.uri, error.message, { headers, cause: error.cause })
}

/**
 * Judges a request by all tools.
 * @param needsSomebody whether a client without credentials is refused; else one whose credentials do not hold
 * @throws ServiceError the refusal
 */
export async function admitted(
  request: ToolRequest,
  ports: ToolPorts,
  needsSomebody: boolean,
): Promise<Judgement> {
  const { endpoint, exchange, bindings } = request
  const judgement = await judge(endpoint.tools, exchange, bindings, ports.schemes)
  const { refusal, hasCredentials } = judgement
  if (refusal && (needsSomebody || hasCredentials)) throw withMetadata(request, ports, refusal)
  return judgement
}

/**
 * Why a tool is not called that there is not, or that the client may not see: the same for both.
 * @param known the refusal of the tool's own security
 */
export async function notSeen(
  request: ToolRequest,
  ports: ToolPorts,
  known?: Refusal,
): Promise<ServiceError | RpcError> {
  const { endpoint, exchange, bindings } = request
  const { refusal } = await judge(endpoint.tools, exchange, bindings, ports.schemes, known)
  if (refusal) return withMetadata(request, ports, refusal)
  return new RpcError('invalidParams', 'there is no such tool', 200)
}
