import { z } from 'zod'
import { MODEL_TIERS } from './model.ts'
import { phase } from './work-state.ts'

/**
 * The agent systems that can do a piece of work. Spec 3, "What the service does" and the preference
 * order.
 */
export const AGENT_SYSTEMS = [
  'team',
  'custom',
  'managed',
  'named',
  'built-in',
  /** No agent: the person asked for none. */
  'direct',
] as const
export const agentSystem = z.enum(AGENT_SYSTEMS)
export type AgentSystem = z.infer<typeof agentSystem>

export const EFFORTS = ['E1', 'E2', 'E3', 'E4', 'E5'] as const
export const effort = z.enum(EFFORTS)
export type Effort = z.infer<typeof effort>

export const agentTier = z.enum(MODEL_TIERS)

/** One of the host assistant's subagent types. Spec 3, Built-in subagent types. */
export const builtInType = z.strictObject({
  name: z.string().min(1).meta({ description: 'The subagent type as the host knows it.' }),
  role: z.string().min(1).optional().meta({
    description: 'Set on types whose name you choose; `names` maps this role to it.',
  }),
  purpose: z.string().min(1),
  tier: agentTier.meta({ description: 'Its default model tier.' }),
  tools: z.array(z.string()).default([]).meta({ description: 'The tools it needs; a hint.' }),
  readOnly: z.boolean().default(false).meta({ description: 'It must not change anything.' }),
  called: z.array(z.string()).default([]).meta({ description: 'Other names that people use.' }),
  notCalled: z
    .array(z.string())
    .default([])
    .meta({ description: 'Phrases that contain the name and mean something else.' }),
  everyday: z
    .boolean()
    .default(false)
    .meta({ description: 'The name is an everyday word, so mentioning it is not enough.' }),
  deprecated: z.boolean().default(false),
  replacedBy: z.string().optional().meta({ description: 'The skill to use instead.' }),
})
export type BuiltInType = z.infer<typeof builtInType>

const routeAnswer = z.strictObject({
  system: agentSystem,
  type: z.string().nullable().default(null),
  tier: agentTier.optional().meta({ description: "Defaults to the type's own tier." }),
  skill: z.string().nullable().default(null),
  workflow: z.string().nullable().default(null),
})

const ruleId = z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'expected words-with-dashes')

/**
 * A row of the routing table. It matches when the request has one phrase of each given list and the
 * conditions fit. Phrase syntax: docs/agents.md.
 */
export const routeRule = z.strictObject({
  id: ruleId,
  level: z.int().min(0).max(99).optional().meta({
    description: 'Lower levels win; within a level the earliest phrase in the request wins.',
  }),
  when: z.array(z.string().min(1)).default([]).meta({ description: 'One of these phrases.' }),
  with: z.array(z.string().min(1)).default([]).meta({ description: 'And one of these.' }),
  unless: z.array(z.string().min(1)).default([]).meta({ description: 'And none of these.' }),
  efforts: z.array(effort).optional().meta({ description: 'Only at one of these efforts.' }),
  notEfforts: z.array(effort).default([]).meta({ description: 'Not at these efforts.' }),
  phases: z.array(phase).optional().meta({ description: 'Only in one of these phases.' }),
  unattended: z.boolean().optional().meta({ description: 'true: no person is watching.' }),
  answer: routeAnswer,
  why: z.string().min(1),
  notes: z.array(z.string()).default([]).meta({ description: 'Additional notes.' }),
  off: z.boolean().default(false).meta({ description: 'true switches a built-in rule off.' }),
})
export type RouteRule = z.infer<typeof routeRule>

/** The routing table. `USER/AGENTS/routing.yaml` has the same shape with every part optional. */
export const routingTable = z.strictObject({
  version: z.literal(1).default(1),
  names: z
    .record(z.string(), z.string().min(1))
    .default({})
    .meta({ description: 'Your names for the types without a fixed name, by role.' }),
  words: z
    .record(z.string(), z.array(z.string().min(1)))
    .default({})
    .meta({ description: 'Synonyms; {name} in a phrase matches any of them.' }),
  types: z.array(builtInType).default([]),
  rules: z.array(routeRule).default([]),
})
export type RoutingTable = z.infer<typeof routingTable>

/** The result for one rule. */
const routeChoice = z.object({
  rule: z.string(),
  system: agentSystem,
  /** The subagent type to launch; null where the system has none. */
  type: z.string().nullable(),
  tier: agentTier,
  skill: z.string().nullable(),
  workflow: z.string().nullable(),
  /** The named agent, if the request means one. */
  agent: z.string().nullable(),
  /** The words of the request that matched. */
  matched: z.array(z.string()),
  why: z.string(),
})
export type RouteChoice = z.infer<typeof routeChoice>

export const agentRoute = routeChoice.extend({
  /** Agents that must also run, independent of the choice. */
  required: z.array(z.object({ type: z.string(), tier: agentTier, why: z.string() })),
  /** A deprecated type that was requested. */
  deprecated: z.object({ type: z.string(), replacedBy: z.string() }).nullable(),
  notes: z.array(z.string()),
  /** The effort and phase that routing assumed. */
  effort: effort.nullable(),
  phase: phase.nullable(),
  unattended: z.boolean(),
  alternatives: z.array(routeChoice),
})
export type AgentRoute = z.infer<typeof agentRoute>
