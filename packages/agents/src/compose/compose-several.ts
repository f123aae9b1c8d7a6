import {
  type ComposedAgent,
  fail,
  ok,
  type Result,
  StewardError,
  TRAIT_CATEGORIES,
} from '@steward/contract'
import { type ComposeRequest, composeChoice } from './compose-agent.ts'
import { rankTraits } from './infer-traits.ts'
import { parseTraits, type TraitChoice } from './parse-traits.ts'

/**
 * Several agents with different traits for one task. Named traits stay in all of them; the rest
 * varies, best match first, and neighbours differ as much as possible.
 */
export const composeSeveral = (request: ComposeRequest, count: number): Result<ComposedAgent[]> => {
  const refuse = (reason: string) =>
    fail(new StewardError('invalid_input', { subject: 'compose', reason }))
  const parsed = parseTraits(request.traits ?? [])
  if (!parsed.ok) return parsed
  if (request.task?.trim() === undefined && parsed.value.expertise.length === 0) {
    return refuse('several agents need a --task, or at least an expertise')
  }
  const made: ComposedAgent[] = []
  for (const { choice, inferred } of chooseCombinations(parsed.value, request.task ?? '')) {
    if (made.length >= count) break
    const agent = composeChoice(choice, inferred, request)
    // Contradicting named traits fail in every combination; other conflicts are skipped.
    if (agent.ok) made.push(agent.value)
    else if (made.length === 0 && isFixed(parsed.value)) return agent
  }
  if (made.length < count) {
    return refuse(
      `these traits allow only ${made.length} different agents, not ${count}; name fewer`,
    )
  }
  return ok(made)
}

const isFixed = (choice: TraitChoice): boolean =>
  TRAIT_CATEGORIES.every((category) => choice[category].length > 0)

interface Combination {
  choice: TraitChoice
  inferred: string[]
}

/**
 * Every combination of one trait per category, walked along diagonals so that each step changes
 * both.
 */
function* chooseCombinations(fixed: TraitChoice, task: string): Generator<Combination> {
  const optionsOf = (category: keyof TraitChoice): string[][] =>
    fixed[category].length > 0
      ? [fixed[category]]
      : rankTraits(category, task).map((name) => [name])
  const experts = optionsOf('expertise')
  const characters = optionsOf('personality')
  const approaches = optionsOf('approach')
  for (const expertise of experts) {
    for (const [at, shift] of walkDiagonals(characters.length, approaches.length)) {
      const personality = characters[at % characters.length] ?? []
      const approach = approaches[(at + shift) % approaches.length] ?? []
      const choice = { expertise, personality, approach }
      const inferred = TRAIT_CATEGORIES.filter((each) => fixed[each].length === 0)
      yield { choice, inferred: inferred.flatMap((each) => choice[each]) }
    }
  }
}

function* walkDiagonals(rows: number, columns: number): Generator<[number, number]> {
  const common = greatestCommonDivisor(rows, columns)
  for (let shift = 0; shift < common; shift += 1) {
    for (let at = 0; at < (rows * columns) / common; at += 1) yield [at, shift]
  }
}

const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b)
