/** Which traces are sampled: a share of them, decided by the trace id, so that all gateways with one share agree. */

/** Whether a trace is sampled. */
export type Sampler = (traceId: string) => boolean

/** Hexadecimal digits at the end of a trace id that decide: those that are random (W3C Trace Context Level 2, "random-trace-id"). */
const digits = 14
/** Of a share; as many as a number holds exactly. */
const steps = 2 ** 53

/** @param share 0: none; 1: all. A trace of a share is one of every greater share */
export function sampler(share: number): Sampler {
  const first = Math.round((1 - share) * steps)
  if (first >= steps) return () => false
  const least = (first * (16 ** digits / steps)).toString(16).padStart(digits, '0')
  // digits of one case and count compare as their numbers do
  return (traceId) => traceId.slice(-digits) >= least
}
