import { renderAgentYaml } from '@steward/agents'
import type { ComposedAgent } from '@steward/contract'
import type { Sink } from '../../io.ts'

/** Composed agents in a format: one as itself, several (asked for with --count) as a list. */
export const renderComposed = (
  agents: readonly ComposedAgent[],
  format: 'prompt' | 'json' | 'yaml' | 'summary',
  isList: boolean,
  { isTerminal }: Pick<Sink, 'isTerminal'>,
): string => {
  const [first] = agents
  const value = isList || first === undefined ? agents : first
  if (format === 'json') return `${JSON.stringify(value, null, isTerminal ? 2 : undefined)}\n`
  if (format === 'yaml') return renderAgentYaml(value)
  if (format === 'summary') return agents.map(renderSummary).join('\n')
  return agents.map(({ prompt }) => prompt).join('\n---\n\n')
}

const renderSummary = (agent: ComposedAgent): string =>
  [
    agent.name,
    `  traits: ${agent.traits.join(', ')}`,
    ...(agent.inferred.length > 0 ? [`  inferred: ${agent.inferred.join(', ')}`] : []),
    `  voice: ${agent.voice} (${agent.voice_id}), ${agent.voice_reason}`,
    `  launch: ${agent.subagent_type}, tier ${agent.tier}, timing ${agent.timing}`,
    ...(agent.task === null ? [] : [`  task: ${agent.task}`]),
    '',
  ].join('\n')
