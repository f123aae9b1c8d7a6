import type { AgentRoute } from '@steward/contract'
import type { RouteContext } from './context.ts'
import { DEFAULT_ROUTING } from './routing.ts'

/** Who should do it. Pure: the same request and context always give the same answer. */
export const route = (_request: string, context: RouteContext = {}): AgentRoute => {
  const { rules } = context.routing ?? DEFAULT_ROUTING
  const rule = rules[0]
  return {
    rule: rule?.id ?? 'default',
    system: rule?.answer.system ?? 'built-in',
    type: rule?.answer.type ?? null,
    tier: rule?.answer.tier ?? 'standard',
    skill: null,
    workflow: null,
    agent: null,
    matched: [],
    why: rule?.why ?? '',
    required: [],
    deprecated: null,
    notes: [],
    effort: context.effort ?? null,
    phase: context.phase ?? null,
    unattended: context.unattended ?? false,
    alternatives: [],
  }
}
