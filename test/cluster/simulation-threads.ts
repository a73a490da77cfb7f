/** Runs many plans of the simulation, side by side on all cores: each thread takes the next plan when it has finished one. */
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { type Outcome, type Plan, simulate } from './simulation.ts'

/** A simulation makes much that lives no longer than a few messages. */
const resourceLimits = { maxYoungGenerationSizeMb: 64 }

/** @throws what the thread does not catch */
async function outcomeOf(thread: Worker, plan: Plan): Promise<Outcome> {
  thread.postMessage(plan)
  const [outcome] = await once(thread, 'message')
  return outcome
}

/**
 * Resolves when all plans have run.
 * @param judge gets each outcome; what it throws ends all
 */
export async function simulateEach(
  plans: readonly Plan[],
  judge: (plan: Plan, outcome: Outcome) => void,
): Promise<void> {
  const waiting = plans.values()
  const threads = Array.from(
    { length: Math.min(availableParallelism(), plans.length) },
    () => new Worker(new URL(import.meta.url), { resourceLimits }),
  )
  try {
    await Promise.all(
      threads.map(async (thread) => {
        // one iterator for all: each plan runs once
        for (const plan of waiting) judge(plan, await outcomeOf(thread, plan))
      }),
    )
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()))
  }
}

if (!isMainThread) {
  // nobody looks at where the many refusals come from
  Error.stackTraceLimit = 0
  parentPort?.on('message', (plan: Plan) => {
    void simulate(plan).then((outcome) => parentPort?.postMessage(outcome))
  })
}
