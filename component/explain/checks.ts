/** Notes what the gateway checks of a request, in the order in which it asks: the operation, the schemes and the exchange tell when they are asked. */
import { pointer } from '#component/codec/json.ts'
import { ServiceError } from '#component/errors.ts'
import type { CompiledOperation, CompiledTool, ResponsePlan } from '#component/gateway/api.ts'
import { isAdmittedFrom } from '#component/gateway/checks.ts'
import type { Exchange } from '#component/gateway/exchange.ts'
import { stage } from '#component/gateway/stage.ts'
import type { HeldLimit } from '#component/policies/limits/held.ts'
import type { LimitPorts } from '#component/policies/limits/limited-request.ts'
import { told } from '#component/schema/mistakes.ts'
import { forEachType } from '#component/security/kinds.ts'
import { type Schemes, type SecurityScheme, schemeOf } from '#component/security/scheme.ts'
import { addressOf } from '#component/syntax/ip-address.ts'
import { isMap } from '#component/syntax/values.ts'
import { bindingIssues } from '#component/tool/call-data.ts'
import { type SchemaFit, watchAnswer, watchRequest } from './schema-checks.ts'

/** One thing that was checked; its other members are what was found or chosen. */
interface SimpleCheck {
  readonly step:
    | 'scheme'
    | 'network'
    | 'rate_limit'
    | 'security'
    | 'accept'
    | 'language'
    | 'arguments'
    | 'content_type'
    | 'body'
  readonly passed: boolean
  /** Of a real request: when it had been made; microseconds. */
  readonly us?: number
  readonly [fact: string]: unknown
}

/** One thing that was checked. */
export type Check = SimpleCheck | (SchemaFit & { readonly us?: number })

/** The refusal of a check. */
const problemOf = (error: unknown): Readonly<Record<string, unknown>> =>
  error instanceof ServiceError ? { problem: { code: error.uri, message: error.message } } : {}

/** A limit has a check of its own. */
const isSame = (one: Check, other: Check): boolean =>
  one.step === other.step && ('name' in one ? one.name : '') === ('name' in other ? other.name : '')

/** A limit in the mode `log` lets all pass. */
function limitCheck({ plan, sharer, charge, standing }: HeldLimit): SimpleCheck {
  const { name, mode, at } = plan
  const { rate, cost } = charge
  const { isAllowed, left } = standing
  return {
    ...{ step: 'rate_limit', name, passed: isAllowed || mode === 'log' },
    ...{ amount: rate.amount, window: rate.windowMs / 1000, shared_by: sharer, cost, left },
    ...(mode === 'log' && { mode, would_pass: isAllowed }),
    at,
  }
}

/** Asks for what every route is checked for, also a route that needs no stage for it. */
const asking = stage('scheme', {
  enter({ inherited }) {
    void [inherited.admitsHttp, inherited.allowFrom]
    return undefined
  },
  facts: ({ exchange }) => ({ scheme: exchange.scheme }),
})

/** A request that is served for real. */
export interface RealRequest {
  /** Microseconds since it came. */
  since(): number
}

/** The checks of one request. */
export class Checks {
  readonly all: Check[] = []
  /** Whom a scheme has let pass. */
  authid: string | undefined
  readonly #real: RealRequest | undefined
  /** Undefined where no operation serves the request. */
  readonly #operation: CompiledOperation | undefined

  /** @param real absent: a rehearsal, which counts nothing and has no times */
  constructor(operation: CompiledOperation | undefined, real?: RealRequest) {
    this.#operation = operation
    this.#real = real
  }

  /** Where an inheritable value is written; null where nothing says so. */
  #writtenAt(key: string): string | null {
    return this.#operation?.inherited.writtenAt?.[key] ?? null
  }

  /** Adds a check. None follows one that failed, and none is made twice: what the gateway asks then is for rendering its answer. */
  #note(check: Check): void {
    const { all } = this
    if (all.at(-1)?.passed === false || all.some((one) => isSame(one, check))) return
    // not copied: the fit of a schema is known a little later
    all.push(this.#real ? Object.assign(check, { us: this.#real.since() }) : check)
  }

  /** The operation, which tells when its `schemes` are looked at, and how values fit its schemas. */
  operation(
    route: CompiledOperation,
    { scheme, peername }: Pick<Exchange, 'scheme' | 'peername'>,
  ): CompiledOperation {
    const { admitsHttp, allowFrom } = route.inherited
    const passed = admitsHttp || scheme === 'https'
    const inherited = Object.defineProperty({ ...route.inherited }, 'admitsHttp', {
      get: () => {
        this.#note({ step: 'scheme', passed, scheme, at: this.#writtenAt('schemes') })
        return admitsHttp
      },
    })
    if (allowFrom) {
      const address = addressOf(peername)
      const passed = isAdmittedFrom(address, allowFrom)
      Object.defineProperty(inherited, 'allowFrom', {
        get: () => {
          this.#note({ step: 'network', passed, address, at: this.#writtenAt('allow_from') })
          return allowFrom
        },
      })
    }
    const { checks, on_result, on_error } = route
    const isReal = this.#real !== undefined
    const onBegin = (fit: SchemaFit) => this.#note(fit)
    const answer = (plan: ResponsePlan): ResponsePlan => ({
      ...plan,
      check: plan.check && watchAnswer(plan.check, onBegin, isReal),
    })
    return {
      ...{ ...route, inherited, on_result: answer(on_result), on_error: answer(on_error) },
      stages: [asking, ...route.stages],
      checks: checks && watchRequest(checks, onBegin, isReal),
    }
  }

  /** A tool, which tells how arguments fit its input, and whatever its operation tells. */
  tool(tool: CompiledTool, exchange: Pick<Exchange, 'scheme' | 'peername'>): CompiledTool {
    const at = pointer(tool.at, 'input')
    const input = watched(tool.input, {
      mistakesOf: (...call) => {
        const mistakes = tool.input.mistakesOf(...call)
        const [args] = call
        const bad = isMap(args) ? bindingIssues(args, tool) : []
        const details = [...told(mistakes ?? []), ...bad]
        const passed = details.length === 0
        this.#note({ step: 'arguments', passed, ...(!passed && { details }), at })
        return mistakes
      },
    })
    const operation = this.operation(tool.operation, exchange)
    return { ...tool, operation, stages: [asking, ...tool.stages], input }
  }

  /** The limits, which tell what they decide. */
  limits(ports: LimitPorts): LimitPorts {
    return { ...ports, onHeld: (held) => this.#note(limitCheck(held)) }
  }

  /** The schemes, which tell whom they let pass. */
  schemes(schemes: Schemes): Schemes {
    return forEachType((type) => this.#scheme(schemeOf(schemes, { type })))
  }

  #scheme(scheme: SecurityScheme): SecurityScheme {
    const at = this.#operation?.inherited.protectedAt ?? null
    return {
      authenticate: async (request, protection) => {
        const { type } = protection
        try {
          const identity = await scheme.authenticate(request, protection)
          const { authid, authroles, authmethod } = identity
          this.authid = authid
          this.#note({ step: 'security', type, passed: true, authid, authroles, authmethod, at })
          return identity
        } catch (error) {
          this.#note({ step: 'security', type, passed: false, at, ...problemOf(error) })
          throw error
        }
      },
    }
  }

  /** The exchange, which tells what is asked of it. */
  exchange(exchange: Exchange): Exchange {
    const read = async <T>(reading: Promise<T>, bytesOf: (content: T) => number): Promise<T> => {
      try {
        const content = await reading
        this.#note({ step: 'body', passed: true, bytes: bytesOf(content) })
        return content
      } catch (error) {
        this.#note({ step: 'body', passed: false, ...problemOf(error) })
        throw error
      }
    }
    return watched<Exchange>(exchange, {
      negotiate: (provides, preferred) => {
        const chosen = exchange.negotiate(provides, preferred)
        const passed = chosen !== undefined
        const found = passed ? { chosen } : { provides }
        const isOfOperation = provides === this.#operation?.negotiated
        if (isOfOperation) this.#note({ step: 'accept', passed, ...found })
        return chosen
      },
      negotiateLanguage: (languages) => {
        const chosen = exchange.negotiateLanguage(languages)
        this.#note({ step: 'language', passed: true, chosen })
        return chosen
      },
      isAccepted: (accepts) => {
        const passed = exchange.isAccepted(accepts)
        const type = exchange.header('content-type') ?? null
        this.#note({ step: 'content_type', passed, type, accepts })
        return passed
      },
      readBody: (limits, onBytes, keeps) =>
        read(exchange.readBody(limits, onBytes, keeps), ({ body_length }) => body_length),
      readText: (limits) => read(exchange.readText(limits), ({ length }) => length),
    })
  }
}

/** An object of which some methods are others. */
const watched = <T extends object>(object: T, methods: Partial<T>): T =>
  new Proxy(object, {
    get(target, name) {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name)
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
