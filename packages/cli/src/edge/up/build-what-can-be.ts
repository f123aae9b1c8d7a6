import type { BuildOutcome, Mistake } from '@steward/edge'

/**
 * Builds all, or, where there are mistakes, all without them: one broken definition must not keep
 * the others from running. Its worker stays as it was.
 */
export const buildWhatCanBe = async (
  names: readonly string[],
  build: (only?: readonly string[]) => Promise<BuildOutcome>,
): Promise<Mistake[]> => {
  const mistakes: Mistake[] = []
  let outcome = await build()
  while (!outcome.ok) {
    mistakes.push(...outcome.mistakes)
    const broken = new Set(mistakes.map(({ subject }) => subject))
    const rest = names.filter((name) => !broken.has(name))
    if (rest.length === 0 || outcome.mistakes.length === 0) break
    const before = outcome.mistakes
    outcome = await build(rest)
    // Mistakes that no name stands for would come again for ever.
    if (!outcome.ok && outcome.mistakes.every((each) => before.some((b) => isSame(b, each)))) break
  }
  return mistakes
}

const isSame = (a: Mistake, b: Mistake): boolean => a.subject === b.subject && a.reason === b.reason
