/** Which traces are sampled: a share of them, decided by the trace id, so that all gateways with one share agree. */

/** Whether a trace is sampled. */
export type Sampler = (traceId: string) => boolean

/** Hexadecimal digits at the end of a trace id that decide: as many as a number holds exactly. */
const digits = 13
const range = 16 ** digits

/** @param share 0: none; 1: all. A trace of a share is one of every greater share */
export function sampler(share: number): Sampler {
  const least = (1 - share) * range
  return (traceId) => Number.parseInt(traceId.slice(-digits), 16) >= least
}
