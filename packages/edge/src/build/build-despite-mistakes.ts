import { type BuildRequest, buildWorkers } from './build-workers.ts'
import type { Mistake } from './catalog.ts'

/**
 * Builds everything without mistakes, so that one broken definition does not stop the others. The
 * existing worker of a broken definition stays as it is. Returns the mistakes.
 */
export const buildDespiteMistakes = async (
  request: Omit<BuildRequest, 'only'>,
): Promise<Mistake[]> => {
  const { actions, pipelines, flows } = request.catalog
  const names = [
    ...actions.map(({ manifest }) => manifest.name),
    ...pipelines.map(({ name }) => name),
    ...flows.map(({ entry }) => entry.name),
  ]
  const mistakes: Mistake[] = []
  let outcome = await buildWorkers(request)
  while (!outcome.ok) {
    mistakes.push(...outcome.mistakes)
    const broken = new Set(mistakes.map(({ subject }) => subject))
    const rest = names.filter((name) => !broken.has(name))
    if (rest.length === 0 || outcome.mistakes.length === 0) break
    const before = outcome.mistakes
    outcome = await buildWorkers({ ...request, only: rest })
    // A mistake whose subject is not a definition would otherwise be reported repeatedly.
    if (!outcome.ok && outcome.mistakes.every((each) => before.some((b) => isSame(b, each)))) break
  }
  return mistakes
}

const isSame = (a: Mistake, b: Mistake): boolean => a.subject === b.subject && a.reason === b.reason
