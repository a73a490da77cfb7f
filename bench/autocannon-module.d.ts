/** The part of autocannon that the bench uses; it comes without types. */
declare module 'autocannon' {
  interface Options {
    readonly url: string
    readonly connections: number
    /** Seconds. */
    readonly duration: number
    readonly requests?: readonly {
      readonly method?: string
      readonly path: string
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    }[]
    /** Answers whose body it refuses are counted as mismatches. */
    readonly verifyBody?: (body: string) => boolean
    /** Requests per second, over all connections. */
    readonly overallRate?: number
  }
  /** Milliseconds, whole ones for the percentiles. */
  interface Latency {
    readonly p50: number
    readonly p99: number
    readonly max: number
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
