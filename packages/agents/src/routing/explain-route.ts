import type { AgentRoute, RouteChoice } from '@steward/contract'

/** A route in words, one line each: what, why, and the alternatives. */
export const explainRoute = (route: AgentRoute): string => {
  const lines = [
    describeChoice(route),
    `rule: ${route.rule}`,
    `why: ${route.why}`,
    ...route.required.map(({ type, why }) => `also required: ${type}, ${why}`),
    ...route.notes.map((note) => `note: ${note}`),
    ...route.alternatives.map((other) => `or: ${describeChoice(other)} (${other.rule})`),
  ]
  return `${lines.join('\n')}\n`
}

/** `custom agents: general-purpose, tier standard, skill Agents, workflow CreateCustomAgent`. */
const describeChoice = ({ system, type, agent, tier, skill, workflow }: RouteChoice): string => {
  const parts = [
    ...(agent === null ? [] : [agent]),
    ...(type === null ? [] : [type]),
    `tier ${tier}`,
    ...(skill === null ? [] : [`skill ${skill}`]),
    ...(workflow === null ? [] : [`workflow ${workflow}`]),
  ]
  return `${SYSTEM_WORDS[system]}: ${parts.join(', ')}`
}

const SYSTEM_WORDS = {
  team: 'agent team',
  custom: 'custom agents',
  managed: 'managed agent',
  named: 'named agent',
  'built-in': 'built-in type',
  direct: 'no agent',
} as const satisfies Record<AgentRoute['system'], string>
