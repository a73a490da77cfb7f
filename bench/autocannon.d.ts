/** The part of autocannon that the bench uses; it comes without types. */
declare module 'autocannon' {
  interface Options {
    readonly url: string
    readonly connections: number
    /** Seconds. */
    readonly duration: number
    readonly requests?: readonly { readonly path: string }[]
    /** Answers whose body it refuses are counted as mismatches. */
    readonly verifyBody?: (body: string) => boolean
  }
  /** Milliseconds, whole ones for the percentiles. */
  interface Latency {
    readonly p50: number
    readonly p99: number
  }
  interface Result {
    /** Seconds. */
    readonly duration: number
    readonly requests: { readonly total: number }
    readonly latency: Latency
    /** Connection errors and timeouts. */
    readonly errors: number
    readonly non2xx: number
    readonly mismatches: number
  }
  export default function autocannon(options: Options): Promise<Result>
}
