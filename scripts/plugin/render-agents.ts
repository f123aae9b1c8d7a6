import type { BuiltInType, ModelTier } from '@steward/contract'
import { AGENT_REPORT, AGENT_TEXTS, type AgentText } from './agent-texts.ts'

/** Claude Code's names for our tiers. */
const MODELS: Readonly<Record<ModelTier, string>> = {
  fast: 'haiku',
  standard: 'sonnet',
  deep: 'opus',
}

/**
 * Agent files by path in `plugin/`. Deprecated types have none: the guard names their replacement.
 */
export const renderAgents = (types: readonly BuiltInType[]): Record<string, string> =>
  Object.fromEntries(
    types
      .filter(({ deprecated }) => !deprecated)
      .map((type) => [`agents/${type.name}.md`, renderAgent(type, textOf(type))]),
  )

/** A type that a person added has no text here, so only its purpose is used. */
const textOf = ({ name, role, purpose }: BuiltInType): AgentText => {
  const key = role ?? name
  const text = Object.hasOwn(AGENT_TEXTS, key) ? AGENT_TEXTS[key] : undefined
  return text ?? { when: purpose, color: 'cyan', body: `Your part: ${purpose}.` }
}

const renderAgent = (
  { name, tier, tools, purpose }: BuiltInType,
  { when, body, color, moreTools = [] }: AgentText,
): string => {
  const all = [...tools, ...moreTools]
  const lines = [
    `name: ${name}`,
    `description: ${JSON.stringify(when)}`,
    ...(all.length === 0 ? [] : [`tools: ${all.join(', ')}`]),
    `model: ${MODELS[tier]}`,
    `color: ${color}`,
  ]
  return `---\n${lines.join('\n')}\n---\n\n# ${name}: ${purpose}\n\n${body}\n\n${AGENT_REPORT}\n`
}
