/** The JSON Schemas of one document: where they stand, for judging, and the checks that are made of them. */
import { canonicalJson, pointer } from '#component/codec/json.ts'
import type { Findings } from '#component/compile/fold-check.ts'
import { type MismatchSink, noMismatches } from '#component/gateway/schemas/mismatches.ts'
import { ValueCheck } from '#component/gateway/schemas/value-check.ts'
import { judging, type SchemaUse } from '#component/schema/judge.ts'
import type { NamedSchemas } from '#component/schema/references.ts'
import { Validators } from '#component/schema/validators.ts'
import { isMap } from '#component/syntax/values.ts'
import type { Steps } from '#component/yielding.ts'

/** What the checks of all documents share. */
export interface SchemaPorts {
  readonly validators: Validators
  /** Receives each mismatch; absent: none is counted or logged. */
  readonly mismatches?: MismatchSink
}

/** Whether a value has the shape of a schema; validation has reported others. */
export const isSchema = (value: unknown): boolean => isMap(value) || typeof value === 'boolean'

/** The schemas of one document. */
export class DocumentSchemas {
  readonly named: NamedSchemas
  readonly sink: MismatchSink
  /** What a gateway must know in order to keep the rules of the document. */
  readonly features = new Set<string>()
  readonly #validators: Validators
  readonly #uses = new Map<string, unknown>()
  readonly #checks = new Map<string, ValueCheck>()

  constructor(named: NamedSchemas, ports: SchemaPorts = { validators: new Validators() }) {
    this.named = named
    this.#validators = ports.validators
    this.sink = ports.mismatches ?? noMismatches
  }

  /** Notes a schema for {@link judge}. @param at its JSON Pointer */
  use(schema: unknown, at: string): void {
    if (isSchema(schema)) this.#uses.set(at, schema)
  }

  /** The check of a schema that was noted; one object for equal schemas. */
  checkOf(schema: unknown): ValueCheck {
    const key = canonicalJson(schema)
    const known = this.#checks.get(key)
    if (known) return known
    const check = new ValueCheck(schema, this.named, this.#validators, this.sink)
    this.#checks.set(key, check)
    return check
  }

  /** Judges every schema of the document. */
  *judge(findings: Findings): Steps<void> {
    const uses: SchemaUse[] = []
    for (const [at, schema] of this.#uses) uses.push({ schema, at })
    const named = Object.entries(this.named).filter(([, schema]) => isSchema(schema))
    // others have been reported, at these pointers, by their shape
    const isWhole = named.length === Object.keys(this.named).length
    if (isWhole) yield* judging(uses, this.named, findings)
    else yield* judging(uses, Object.fromEntries(named), findings)
  }
}

/** The pointer of a member of a schema where it stands in the schema itself; else, as behind a `$ref`, that of the schema. */
export const memberPlace = (isOwn: boolean, at: string, ...keys: readonly string[]): string =>
  isOwn ? pointer(at, ...keys) : at
