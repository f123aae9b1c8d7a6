import type { AgentRoute, BuiltInType, ModelTier, RouteChoice } from '@steward/contract'
import type { Candidate } from './candidate.ts'
import { chooseTier } from './choose-tier.ts'
import { type CompiledRouting, compileRouting, matchFirst } from './compiled-routing.ts'
import type { RouteContext } from './context.ts'
import { findNamed } from './find-named.ts'
import { matchRule } from './match-rule.ts'
import { readEffort, readPhase } from './read-context.ts'
import { readRequest } from './read-request.ts'
import { DEFAULT_ROUTING, type Routing } from './routing.ts'
import type { Token } from './token.ts'

/** Who should do it. Pure: the same request and context always give the same answer. */
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
  const candidates = [
    ...compiled.rules.flatMap((rule) => matchRule(rule, reading, facts)),
    ...findNamed(reading, routing, context.roster ?? []),
  ].sort((a, b) => a.level - b.level || a.at - b.at)
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

/** For a table whose every rule was switched off. */
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
    why: 'no rule of the table holds',
  },
  notes: [],
  deprecated: null,
}

const markOthers = (tokens: readonly Token[], { other }: CompiledRouting): void => {
  for (const phrase of other) {
    // Each phrase may stand several times; a marked place matches no more.
    for (let match = matchFirst([phrase], tokens); match; match = matchFirst([phrase], tokens)) {
      for (const token of tokens.slice(match.start, match.end)) token.isOther = true
    }
  }
}

const tierOf = (name: string | null, { types }: Routing): ModelTier =>
  types.find((type: BuiltInType) => type.name === name)?.tier ?? 'standard'

/** At E4 and E5 in VERIFY the audit runs whatever else does. */
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

/** Each other place once, best first. */
const distinct = (answer: RouteChoice, others: readonly RouteChoice[]): RouteChoice[] => {
  const seen = new Set([keyOf(answer)])
  return others.filter((other) => {
    const key = keyOf(other)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
