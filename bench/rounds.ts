/** Runs a scenario: warm up, then round after round each candidate in turn, A B C A B C. */
import { checkAnswers } from './asks.ts'
import { measure, type Round } from './measure.ts'
import { type Result, rowsOf } from './report.ts'
import { type Candidate, type Scenario, Stage, type Trial } from './stage.ts'

/** How long it takes. */
export interface Plan {
  readonly rounds: number
  /** A candidate in a round. */
  readonly seconds: number
  /** A candidate before the first. */
  readonly warmUpSeconds: number
  /** Of what is no load. */
  readonly attempts: number
}

async function round(candidate: Candidate, stage: Stage, seconds: number): Promise<Round> {
  const beside = stage.processes.filter((process) => process !== candidate.process)
  const end = candidate.meanwhile?.()
  const found = await measure(candidate.process, { ...candidate.load, seconds }, beside)
  const failed = (await end?.()) ?? 0
  return { ...found, errors: found.errors + failed }
}

/** The candidates, each at half of what the slower one of itself and its baseline can. */
async function paced(stage: Stage, seconds: number): Promise<readonly Candidate[]> {
  const { candidates } = stage
  const least = new Map<string, number>()
  for (const candidate of candidates) {
    const { rate } = await round(candidate, stage, seconds)
    const group = candidate.against ?? ''
    least.set(group, Math.min(rate, least.get(group) ?? rate))
  }
  return candidates.map((candidate) => {
    const rate = (least.get(candidate.against ?? '') ?? 0) / 2
    return { ...candidate, load: { ...candidate.load, rate } }
  })
}

async function compare(scenario: Scenario, stage: Stage, plan: Plan): Promise<Result> {
  await scenario.build(stage)
  for (const candidate of stage.candidates) {
    const { name, load } = candidate
    if ('url' in load) await checkAnswers(name, load.url, load.asks)
    await round(candidate, stage, plan.warmUpSeconds)
  }
  const candidates = scenario.isHalfLoad ? await paced(stage, plan.seconds) : stage.candidates
  const results = new Map(candidates.map(({ name }): [string, Round[]] => [name, []]))
  for (let count = 0; count < plan.rounds; count += 1) {
    for (const candidate of candidates) {
      results.get(candidate.name)?.push(await round(candidate, stage, plan.seconds))
    }
  }
  const { about } = scenario
  return { about, rows: rowsOf(candidates, results), missing: stage.missing, figures: [] }
}

/** A scenario that was not measured. */
export const unmeasured = ({ about }: Scenario | Trial, failure: string): Result => ({
  about,
  rows: [],
  missing: [],
  figures: [],
  failure,
})

/** Starts, measures, stops. What fails is told in the result, so that one scenario does not end the others. */
export async function run(scenario: Scenario | Trial, plan: Plan): Promise<Result> {
  const stage = new Stage()
  try {
    if ('build' in scenario) return await compare(scenario, stage, plan)
    const figures = await scenario.attempt(stage, plan.attempts)
    return { about: scenario.about, rows: [], missing: stage.missing, figures }
  } catch (cause) {
    return unmeasured(scenario, cause instanceof Error ? cause.message : String(cause))
  } finally {
    await stage.stop()
  }
}
