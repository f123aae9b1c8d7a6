import type { ModelTier } from '@steward/contract'
import { renderFrontMatter } from './front-matter.ts'
import { type NamedAgentFile, slugOfAgent } from './named-agent.ts'

/** The host's names for the tiers; never the id of a model, which would become outdated. */
const CLAUDE_MODELS: Record<ModelTier, string> = { fast: 'haiku', standard: 'sonnet', deep: 'opus' }

/** A named agent as an agent file of Claude Code: `agents/<slug>.md`. */
export const renderClaudeAgent = ({ agent, body }: NamedAgentFile): string => {
  const { name, description, tools, disallowedTools, model, color, maxTurns } = agent
  const fields = {
    name: slugOfAgent(name),
    description,
    ...(tools === undefined ? {} : { tools: tools.join(', ') }),
    ...(disallowedTools === undefined ? {} : { disallowedTools: disallowedTools.join(', ') }),
    model: CLAUDE_MODELS[model],
    ...(color === undefined ? {} : { color }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
  }
  const call = JSON.stringify({ message: 'what came of it, in a sentence', agent: name })
  const spoken = `When you are done, have the outcome spoken in your own voice: \`POST /notify\` of the Steward daemon with \`${call}\`, or \`steward voice say "…" --agent ${JSON.stringify(name)}\`.`
  return renderFrontMatter(fields, `${body}\n\n${spoken}`)
}
