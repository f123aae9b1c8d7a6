import {
  type AgentTiming,
  type ComposedAgent,
  fail,
  ok,
  type Result,
  StewardError,
} from '@steward/contract'
import { chooseVoice, type VoiceIds } from './choose-voice.ts'
import { describeConflict, findConflicts } from './find-conflicts.ts'
import { inferTraits } from './infer-traits.ts'
import { parseTraits, type TraitChoice } from './parse-traits.ts'
import { renderPrompt } from './render-prompt.ts'
import { traitOf } from './trait-data.ts'

export interface ComposeRequest {
  traits?: readonly string[]
  task?: string
  timing?: AgentTiming
  voiceIds?: VoiceIds
  /** Opposite traits are rejected unless this is set. */
  allowConflicts?: boolean
}

/** One agent from traits, a task, or both. */
export const composeAgent = (request: ComposeRequest): Result<ComposedAgent> => {
  const parsed = parseTraits(request.traits ?? [])
  if (!parsed.ok) return parsed
  const task = request.task?.trim() || undefined
  const isEmpty = Object.values(parsed.value).every((names) => names.length === 0)
  if (isEmpty && task === undefined) {
    const reason = 'give --traits, --task, or both'
    return fail(new StewardError('invalid_input', { subject: 'compose', reason }))
  }
  const { choice, inferred } =
    task === undefined ? { choice: parsed.value, inferred: [] } : inferTraits(parsed.value, task)
  return composeChoice(choice, inferred, request)
}

/** The agent for known traits. */
export const composeChoice = (
  choice: TraitChoice,
  inferred: readonly string[],
  { task: given, timing = 'standard', voiceIds, allowConflicts = false }: ComposeRequest,
): Result<ComposedAgent> => {
  const conflicts = findConflicts(choice)
  const opposites = conflicts.filter(({ isOpposite }) => isOpposite)
  if (opposites.length > 0 && !allowConflicts) {
    const reason = `${opposites.map(describeConflict).join('; ')} (use --allow-conflicts to compose it anyway)`
    return fail(new StewardError('invalid_input', { subject: 'traits', reason }))
  }
  const task = given?.trim() || null
  const traits = traitsOf(choice)
  const name = nameOf(choice)
  const voice = chooseVoice(choice, voiceIds)
  return ok({
    name,
    slug: traits.map((trait) => trait.replace(':', '-')).join('-'),
    traits,
    expertise: titlesOf(choice, 'expertise'),
    personality: titlesOf(choice, 'personality'),
    approach: titlesOf(choice, 'approach'),
    inferred: [...inferred],
    subagent_type: 'general-purpose',
    tier: TIERS[timing],
    timing,
    task,
    ...voice,
    color: colorOf(traits),
    notes: conflicts.map(describeConflict),
    prompt: renderPrompt(name, choice, { task, timing, voiceId: voice.voice_id }),
  })
}

/** Parallel custom agents prefer the fast and standard tiers; deep only if depth was requested. */
const TIERS = { fast: 'fast', standard: 'standard', deep: 'deep' } as const

/**
 * Unambiguous names that can be parsed again: `creative` says which of its two categories it is.
 */
const traitsOf = ({ expertise, personality, approach }: TraitChoice): string[] => [
  ...expertise.map((name) => (name === 'creative' ? 'expertise:creative' : name)),
  ...personality.map((name) => (name === 'creative' ? 'personality:creative' : name)),
  ...approach,
]

const titlesOf = (choice: TraitChoice, category: keyof TraitChoice): string[] =>
  choice[category].map((name) => traitOf(category, name).title)

const nameOf = (choice: TraitChoice): string => {
  const nouns = choice.approach.map((name) => traitOf('approach', name).noun ?? name)
  const personality = titlesOf(choice, 'personality')
  // "Creative" is both.
  const expertise = titlesOf(choice, 'expertise').filter((title) => !personality.includes(title))
  return [
    personality.join(' and '),
    expertise.join(' and '),
    nouns.length > 0 ? nouns.join(' and ') : 'Specialist',
  ]
    .filter((part) => part !== '')
    .join(' ')
}

const COLORS = ['red', 'blue', 'green', 'yellow', 'purple', 'orange', 'pink', 'cyan'] as const

/** Equal traits get equal colours. */
const colorOf = (traits: readonly string[]): string => {
  let hash = 0
  for (const char of traits.join(',')) hash = (Math.imul(hash, 31) + (char.codePointAt(0) ?? 0)) | 0
  return COLORS[Math.abs(hash) % COLORS.length] ?? COLORS[0]
}
