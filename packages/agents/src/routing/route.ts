import {
  type AgentRoute,
  type AgentSystem,
  type BuiltInType,
  EFFORTS,
  type Effort,
  type ModelTier,
  PHASES,
  type Phase,
  type RouteChoice,
} from '@steward/contract'
import { type Candidate, wordsOf } from './candidate.ts'
import {
  type CompiledRouting,
  type CompiledRule,
  compileRouting,
  markOthers,
  matchFirst,
} from './compiled-routing.ts'
import type { RouteContext } from './context.ts'
import { findNamed } from './find-named.ts'
import { classify, type Known } from './learning/classify.ts'
import { LABELS } from './learning/labels.ts'
import { wordSetsOf } from './learning/word-sets.ts'
import { type Reading, readRequest } from './read-request.ts'
import { DEFAULT_ROUTING, type PlacedRule, type Routing } from './routing.ts'
import type { Token } from './token.ts'

/** Chooses who should do it. Pure: the same request and context always give the same result. */
export const route = (request: string, context: RouteContext = {}): AgentRoute => {
  const routing = context.routing ?? DEFAULT_ROUTING
  const compiled = compileRouting(routing)
  const reading = readRequest(request)
  markOthers(reading.tokens, compiled)
  const facts = {
    effort: context.effort ?? readEffort(reading) ?? null,
    phase: context.phase ?? readPhase(reading) ?? null,
    unattended: context.unattended ?? false,
  }
  const matching = [
    ...compiled.rules.flatMap((rule) => matchRule(rule, reading, facts)),
    ...findNamed(reading, routing, context.roster ?? []),
  ].sort((a, b) => a.level - b.level || a.at - b.at)
  const learned = learn(reading, routing, facts, matching[0])
  const candidates = learned === undefined ? matching : [learned, ...matching]
  const finish = ({ choice }: Candidate): RouteChoice => ({
    ...choice,
    tier: chooseTier(
      choice.tier ?? tierOf(choice.type, routing),
      choice.system,
      compiled.tiers,
      reading.tokens,
    ),
  })
  const [chosen = NOTHING, ...rest] = candidates
  const answer = finish(chosen)
  return {
    ...answer,
    required: requiredBeside(answer, facts, routing),
    deprecated: chosen.deprecated,
    notes: [...chosen.notes],
    ...facts,
    alternatives: distinct(answer, rest.filter(({ level }) => level < DEFAULT_LEVEL).map(finish)),
  }
}

const DEFAULT_LEVEL = 99

/** Used if every rule of the table is disabled. */
const NOTHING: Candidate = {
  level: DEFAULT_LEVEL,
  at: 0,
  choice: {
    rule: 'default',
    system: 'built-in',
    type: 'general-purpose',
    tier: 'standard',
    skill: null,
    workflow: null,
    agent: null,
    matched: [],
    why: 'no rule of the table matches',
  },
  notes: [],
  deprecated: null,
}

const tierOf = (name: string | null, { types }: Routing): ModelTier =>
  types.find((type: BuiltInType) => type.name === name)?.tier ?? 'standard'

/** At E4 and E5 in VERIFY the audit runs in addition to everything else. */
const requiredBeside = (
  { type }: RouteChoice,
  { effort, phase }: Pick<AgentRoute, 'effort' | 'phase'>,
  routing: Routing,
): AgentRoute['required'] => {
  const isMandatory = phase === 'VERIFY' && (effort === 'E4' || effort === 'E5')
  if (!isMandatory || type === AUDITOR) return []
  const why = `a cross-vendor audit is mandatory at ${effort} in VERIFY`
  return [{ type: AUDITOR, tier: tierOf(AUDITOR, routing), why }]
}

const AUDITOR = 'Cato'

const keyOf = ({ system, type, skill, workflow, agent }: RouteChoice): string =>
  JSON.stringify([system, type, skill, workflow, agent])

/** Each alternative once, best first. */
const distinct = (answer: RouteChoice, others: readonly RouteChoice[]): RouteChoice[] => {
  const seen = new Set([keyOf(answer)])
  return others.filter((other) => {
    const key = keyOf(other)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/**
 * The tier that a request asks for in words; parallel custom agents stay at fast or standard unless
 * deep is requested.
 */
const chooseTier = (
  own: ModelTier,
  system: AgentSystem,
  tiers: CompiledRouting['tiers'],
  tokens: readonly Token[],
): ModelTier => {
  if (matchFirst(tiers.deep, tokens) !== undefined) return 'deep'
  if (matchFirst(tiers.standard, tokens) !== undefined) return 'standard'
  // An agent of the deep tier is not lowered because one part of the task is simple.
  const maySpeedUp = own !== 'deep' || system === 'custom'
  if (maySpeedUp && matchFirst(tiers.fast, tokens) !== undefined) return 'fast'
  return own
}

type Facts = Pick<AgentRoute, 'effort' | 'phase' | 'unattended'>

/** Whether the conditions of the rule fit, apart from its words. */
const fits = (rule: PlacedRule, { effort, phase, unattended }: Facts): boolean => {
  if (rule.efforts !== undefined && (effort === null || !rule.efforts.includes(effort)))
    return false
  if (effort !== null && rule.notEfforts.includes(effort)) return false
  if (rule.phases !== undefined && (phase === null || !rule.phases.includes(phase))) return false
  return rule.unattended === undefined || rule.unattended === unattended
}

/** How much more must speak for another label, in the units of the classifier's weights. */
const OVER_GENERAL = 2
const OVER_EVERYDAY = 9

/**
 * Rules that the classifier may overrule, and what it calls their answers: those for anything that
 * changes code or names agents easily, those that match everyday words only clearly.
 */
const OVERRULED: Readonly<Record<string, Known>> = {
  change: { label: 'Engineer', lead: OVER_GENERAL },
  code: { label: 'Engineer', lead: OVER_GENERAL },
  agents: { label: 'custom', lead: OVER_GENERAL },
  architecture: { label: 'Architect', lead: OVER_EVERYDAY },
  audit: { label: 'Cato', lead: OVER_EVERYDAY },
  design: { label: 'Architect', lead: OVER_EVERYDAY },
  explore: { label: 'Explore', lead: OVER_EVERYDAY },
  'interface-design': { label: 'Designer', lead: OVER_EVERYDAY },
  research: { label: 'skill:Research', lead: OVER_EVERYDAY },
  'unattended-in-words': { label: 'managed', lead: OVER_EVERYDAY },
}

/** What these words ask for is specified. */
const isTrigger = (words: string): boolean => /\b(research|investigate|architecture)\b/i.test(words)

/**
 * The answer of the classifier, where no rule matches or one that it may overrule. A default rule of
 * the user's own is final, so that it also switches the classifier off.
 */
const learn = (
  reading: Reading,
  routing: Routing,
  facts: Facts,
  first: Candidate | undefined,
): Candidate | undefined => {
  const isUnmatched = first === undefined || first.level === DEFAULT_LEVEL
  const known = isUnmatched ? undefined : OVERRULED[first.choice.rule]
  if (!isUnmatched && (known === undefined || first.choice.matched.some(isTrigger)))
    return undefined
  for (const id of isUnmatched ? ['default'] : ['default', first.choice.rule]) {
    const own = routing.rules.find((rule) => rule.id === id)
    if (own === undefined || !DEFAULT_ROUTING.rules.includes(own)) return undefined
  }
  const found = classify(reading.tokens, wordSetsOf(routing), known)
  if (found === undefined || found.label === known?.label) return undefined
  const rule = LABELS[found.label]
    .map((wanted) => routing.rules.find(({ id }) => id === wanted))
    .find((each) => each !== undefined && fits(each, facts))
  if (rule === undefined || (isUnmatched && rule.level === DEFAULT_LEVEL)) return undefined
  const words = found.words.map((word) => `"${word}"`).join(', ')
  const reason = isUnmatched ? 'no rule matches' : `the rule ${first.choice.rule} matches weakly`
  const why = `${reason}; by its words (${words}) ${rule.why}`
  const level = isUnmatched ? DEFAULT_LEVEL : first.level
  return candidateOf({ ...rule, id: 'learned', level, why }, -1, found.words)
}

/** The rule as a candidate if it matches, otherwise undefined. */
const matchRule = (
  { rule, when, with: also, unless }: CompiledRule,
  reading: Reading,
  facts: Facts,
): Candidate[] => {
  if (!fits(rule, facts)) return []
  const { tokens } = reading
  const first = matchFirst(when, tokens)
  if (when.length > 0 && first === undefined) return []
  const second = matchFirst(also, tokens)
  if (also.length > 0 && second === undefined) return []
  if (matchFirst(unless, tokens) !== undefined) return []
  const matched = [first, second].flatMap((match) => (match ? [wordsOf(reading, match)] : []))
  return [candidateOf(rule, first?.start ?? -1, matched)]
}

const candidateOf = (
  { id, level, answer, why, notes }: PlacedRule,
  at: number,
  matched: string[],
): Candidate => ({
  level,
  at,
  choice: {
    rule: id,
    system: answer.system,
    type: answer.type,
    tier: answer.tier,
    skill: answer.skill,
    workflow: answer.workflow,
    agent: null,
    matched,
    why,
  },
  notes,
  deprecated: null,
})

/** An effort stated in the request: `at E4`, `effort level 3`. */
const readEffort = ({ tokens }: Reading): Effort | undefined => {
  for (const [index, { text, lower }] of tokens.entries()) {
    const named = EFFORTS.find((effort) => effort === text)
    if (named !== undefined) return named
    if (lower !== 'effort') continue
    const next = tokens.slice(index + 1, index + 3).map((token) => token.lower)
    const number = next.find(
      (word, at) => /^e?[1-5]$/.test(word) && (at === 0 || next[0] === 'level'),
    )
    const level = EFFORTS.find(
      (effort) => number !== undefined && effort.endsWith(number.slice(-1)),
    )
    if (level !== undefined) return level
  }
  return undefined
}

/** A phase stated in the request: `in VERIFY`, `the verify phase`. */
const readPhase = ({ tokens }: Reading): Phase | undefined => {
  const isShouting = tokens.every(({ text }) => text === text.toUpperCase())
  for (const [index, { text, lower }] of tokens.entries()) {
    const named = PHASES.find(
      (phase) => phase === lower.toUpperCase() || phase === GERUNDS.get(lower),
    )
    if (named === undefined) continue
    if (!isShouting && text === named) return named
    if (PHASE_WORDS.has(tokens[index + 1]?.lower ?? '')) return named
  }
  return undefined
}

const PHASE_WORDS = new Set(['phase', 'stage', 'step'])
const GERUNDS = new Map<string, Phase>([
  ['verification', 'VERIFY'],
  ['verifying', 'VERIFY'],
  ['planning', 'PLAN'],
  ['building', 'BUILD'],
  ['learning', 'LEARN'],
])
